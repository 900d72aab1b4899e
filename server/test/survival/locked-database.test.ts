import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { testApp } from '../support/app.ts';

const app = await testApp({ engine: 'sqlite' });

async function create(name: string) {
  const startedAt = performance.now();
  const { status, body, headers } = await app.call('POST', '/v1/categories', { body: { name } });
  return { status, body, headers, milliseconds: performance.now() - startedAt };
}

it('says within two seconds that another program keeps the database locked, and reads on', async () => {
  expect((await create('before')).status).toBe(201);
  const other = new Database(join(app.config.PETSTORE_DATA_DIR, 'petstore.db'));
  other.exec('BEGIN IMMEDIATE');
  const refused = [0, 500, 1_000, 1_500].map(async (delay) => {
    await pause(delay);
    return create(`after ${delay}`);
  });
  await pause(1_000);
  expect((await app.call('GET', '/v1/categories')).status).toBe(200);
  for (const { status, body, headers, milliseconds } of await Promise.all(refused)) {
    expect(status).toBe(503);
    expect(body.code).toBe('unavailable');
    expect(headers.get('retry-after')).toBe('1');
    expect(milliseconds).toBeLessThan(2_900);
  }
  // Nobody waits again for what is known to be locked.
  expect((await create('later')).milliseconds).toBeLessThan(500);

  other.exec('ROLLBACK');
  other.close();
  expect((await create('free again')).status).toBe(201);
  const names = (await app.call('GET', '/v1/categories')).body.map((c: { name: string }) => c.name);
  expect(names).toEqual(['before', 'free again']);
});

it('waits for a lock that is held only for a moment', async () => {
  const other = new Database(join(app.config.PETSTORE_DATA_DIR, 'petstore.db'));
  other.exec('BEGIN IMMEDIATE');
  const creating = create('patient');
  await pause(300);
  other.exec('ROLLBACK');
  other.close();
  const { status, milliseconds } = await creating;
  expect(status).toBe(201);
  expect(milliseconds).toBeGreaterThan(250);
});
