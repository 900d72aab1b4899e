import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';

// The tables are taken away from under the service, which SQLite lets another connection do.
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  await app.call('GET', '/v1/pets');
  const db = new Database(join(app.config.PETSTORE_DATA_DIR, 'petstore.db'));
  db.exec('DROP TABLE movements; DROP TABLE orders; DROP TABLE categories');
  db.close();
});

describe('an unexpected failure', () => {
  it.each([
    ['GET', '/v1/categories', undefined],
    ['GET', '/v1/store/orders', undefined],
    ['GET', '/v1/categories/1', undefined],
    ['POST', '/v1/categories', { name: 'Dogs' }],
  ])('is 500 for %s %s, and shows nothing of the inside', async (method, path, body) => {
    const answer = await app.call(method, path, body === undefined ? {} : { body });
    expectError(answer, 'internal_error');
    const fields = ['code', 'docUrl', 'message', 'requestId', 'status'];
    expect(Object.keys(answer.body).sort()).toEqual(fields);
    expect(answer.text).not.toMatch(/sql|table|categories|orders|node|\.ts|at /i);
  });

  it('is not stored under an Idempotency-Key, and the service goes on', async () => {
    const options = { body: { name: 'Dogs' }, headers: { 'idempotency-key': 'fault' } };
    for (let i = 0; i < 2; i++) {
      const answer = await app.call('POST', '/v1/categories', options);
      expectError(answer, 'internal_error');
      expect(answer.headers.has('idempotency-replayed')).toBe(false);
    }
    expect((await app.call('GET', '/v1/workspace')).status).toBe(200);
    expect((await app.call('GET', '/readyz')).status).toBe(200);
  });
});
