// What an Idempotency-Key does while its request is running. SQLite has one writer, so a test that is
// that writer holds up every write of the service for as long as it likes.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  categoryId = (await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } })).body.id;
});

const createPet = (key: string, name = 'Rex') =>
  app.call('POST', '/v1/pets', {
    body: { name, categoryId },
    headers: { 'idempotency-key': key },
  });

async function whileWritesWait<T>(work: () => Promise<T>): Promise<T> {
  const db = new Database(join(app.config.PETSTORE_DATA_DIR, 'petstore.db'));
  db.exec('BEGIN IMMEDIATE');
  try {
    return await work();
  } finally {
    db.exec('ROLLBACK');
    db.close();
  }
}

describe('while the first request under a key is running', () => {
  it('a second is 409 while the first runs, and a replay later', async () => {
    const key = 'waits';
    let both: ReturnType<typeof createPet>[] = [];
    await whileWritesWait(async () => {
      both = [createPet(key), createPet(key)];
      expectError(await Promise.race(both), 'idempotency_in_progress');
    });
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409]);
    expect((await createPet(key)).headers.get('idempotency-replayed')).toBe('true');
  });

  it('a 503 is not stored, and the write has not happened', async () => {
    const key = 'late';
    const name = `Late ${key}`;
    const answer = await whileWritesWait(() => createPet(key, name));
    expectError(answer, 'unavailable');
    expect((await app.call('GET', `/v1/pets?name=${encodeURIComponent(name)}`)).body).toEqual([]);
    const again = await createPet(key, name);
    expect(again.status).toBe(201);
    expect(again.headers.has('idempotency-replayed')).toBe(false);
  });
});
