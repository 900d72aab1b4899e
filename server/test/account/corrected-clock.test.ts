import { expect, it } from 'vitest';
import { testApp } from '../support/app.ts';

const HOUR_MS = 3_600_000;

/** A service whose ledger was written by a clock that was ahead. */
async function correctedApp() {
  const app = await testApp();
  app.clock.advance(2 * HOUR_MS);
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  app.clock.advance(-2 * HOUR_MS);
  await app.restart();
  return app;
}

it('goes by the corrected clock for keys, although the ledger was written by one that was ahead', async () => {
  const app = await correctedApp();
  const expiresAt = new Date(app.clock.now() + HOUR_MS).toISOString();
  const body = { name: 'for an hour', scopes: ['read', 'manage'], expiresAt };
  const created = await app.call('POST', '/v1/keys', { body });
  expect(created.status).toBe(201);
  const { id, key } = created.body;
  expect(await app.call('PATCH', '/v1/workspace', { body: { name: 'Mine' }, key })).toMatchObject({
    status: 200,
  });

  const rotated = await app.call('POST', `/v1/keys/${id}/rotate`, { body: { overlapSeconds: 60 } });
  expect(rotated.status).toBe(201);
  const keys = await app.call<{ id: string; expiresAt?: string }[]>('GET', '/v1/keys');
  const old = keys.body.find((each) => each.id === id);
  expect(Date.parse(old!.expiresAt!)).toBeLessThanOrEqual(app.clock.now() + 60_000);
});

it('goes by the corrected clock for usage, which is counted by it', async () => {
  const app = await correctedApp();
  expect((await app.call('GET', '/v1/pets')).status).toBe(200);
  const minutes = await app.call<{ minute: string; admitted: number }[]>(
    'GET',
    '/v1/usage/minutes?minutes=5',
  );
  expect(Date.parse(minutes.body.at(-1)!.minute)).toBeLessThanOrEqual(app.clock.now());
  expect(minutes.body.reduce((sum, { admitted }) => sum + admitted, 0)).toBeGreaterThan(0);
  const advice = await app.call<{ to: string }>('GET', '/v1/usage/advice');
  expect(Date.parse(advice.body.to)).toBeLessThanOrEqual(app.clock.now());
});
