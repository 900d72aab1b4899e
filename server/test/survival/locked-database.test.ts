import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { testApp } from '../support/app.ts';

const app = await testApp({ engine: 'sqlite' });

function create(name: string) {
  return app.call('POST', '/v1/categories', { body: { name } });
}

it('answers writes with 503 while another program locks the database, and serves reads', async () => {
  expect((await create('before')).status).toBe(201);
  const other = new Database(join(app.config.PETSTORE_DATA_DIR, 'petstore.db'));
  other.exec('BEGIN IMMEDIATE');
  const refused = ['first', 'second', 'third'].map(create);
  expect((await app.call('GET', '/v1/categories')).status).toBe(200);
  for (const { status, body, headers } of await Promise.all(refused)) {
    expect(status).toBe(503);
    expect(body.code).toBe('unavailable');
    expect(headers.get('retry-after')).toBe('1');
  }
  expect((await app.call('GET', '/v1/categories')).status).toBe(200);

  other.exec('ROLLBACK');
  other.close();
  expect((await create('free again')).status).toBe(201);
  const names = (await app.call('GET', '/v1/categories')).body.map((c: { name: string }) => c.name);
  expect(names).toEqual(['before', 'free again']);
});
