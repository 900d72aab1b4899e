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

/** Sends two requests under one key, and lets writes go on once one of them is answered. */
async function twoAtOnce(key: string) {
  let both: ReturnType<typeof createPet>[] = [];
  const first = await whileWritesWait(() => {
    both = [createPet(key), createPet(key)];
    return Promise.race(both);
  });
  const statuses = (await Promise.all(both)).map(({ status }) => status);
  return { key, first, statuses: statuses.sort() };
}

describe('while the first request under a key is running', () => {
  it('a second is 409 while the first runs, and a replay later', async () => {
    let round = await twoAtOnce('waits');
    // On a machine that stalls, the first has waited for too long.
    for (let nth = 2; round.statuses.includes(503); nth++) round = await twoAtOnce(`waits-${nth}`);
    expectError(round.first, 'idempotency_in_progress');
    expect(round.statuses).toEqual([201, 409]);
    expect((await createPet(round.key)).headers.get('idempotency-replayed')).toBe('true');
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
