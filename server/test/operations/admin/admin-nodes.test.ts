import { expect, it } from 'vitest';
import { testApp } from '../../support/app.ts';
import { onDatabase } from '../../support/servers.ts';

const isPostgres = process.env.TEST_ENGINE === 'postgres';

it('shows each node with what it last reported', async () => {
  const app = await testApp();
  const nodes = () => app.call('GET', '/v1/admin/nodes');
  // Compares its clock with that of the database.
  await app.call('GET', '/readyz', { key: null });
  const isCompared = async () => (await nodes()).body[0].clockSkewSeconds !== undefined;
  if (isPostgres) await expect.poll(isCompared).toBe(true);
  const { status, body } = await nodes();
  expect(status).toBe(200);
  expect(body).toEqual([
    {
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      version: '1.0.0',
      state: 'ready',
      limiter: 'shared',
      ...(isPostgres ? { clockSkewSeconds: expect.any(Number) } : {}),
      requestsPerSecond: expect.any(Number),
      memoryBytes: expect.any(Number),
      startedAt: expect.any(String),
      seenAt: expect.any(String),
    },
  ]);
  expect(body[0].memoryBytes).toBeGreaterThan(1_000_000);
});

it('needs the scope operate', async () => {
  const app = await testApp();
  const key = await app.addKey(['read', 'write', 'manage']);
  expect((await app.call('GET', '/v1/admin/nodes', { key })).status).toBe(403);
});

it.runIf(isPostgres)('calls a node lost that was not seen for 15 s, and pages by id', async () => {
  const app = await testApp();
  await onDatabase(app.config.PETSTORE_DATABASE_URL!, (client) =>
    client.query(
      `INSERT INTO nodes SELECT 'gone-' || n, seen_at, seen_at - 16000, '0.9.0', 'ready', 'alone', NULL, -1500, 90, 1
       FROM nodes, generate_series(1, 3) n`,
    ),
  );
  const first = await app.call('GET', '/v1/admin/nodes?sort=-id&limit=2');
  expect(first.body).toMatchObject([
    { id: 'gone-3', state: 'lost', clockSkewSeconds: -1.5, requestsPerSecond: 1.5 },
    { id: 'gone-2', state: 'lost', version: '0.9.0', limiter: 'alone' },
  ]);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link')!)![1]!;
  const { body } = await app.call('GET', next);
  expect(body.map(({ state }: { state: string }) => state)).toEqual(['lost', 'ready']);
});
