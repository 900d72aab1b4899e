import { pino } from 'pino';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { type RunningApp, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { NodeRegistry } from '../../src/services/cluster/node-registry.ts';
import { openStore } from '../../src/stores.ts';
import { PostgresProxy } from '../support/postgres-proxy.ts';
import { createMigratedDatabase, onDatabase, startRedis } from '../support/servers.ts';

let opened: RunningApp[] = [];
afterEach(async () => {
  await Promise.all(opened.map((app) => app.stop()));
  opened = [];
});

async function startNode(url: string, environment: Record<string, string> = {}) {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const settings = { PETSTORE_PORT: '0', PETSTORE_DATABASE_URL: url, ...environment };
  const app = await startApp(readConfig(settings), log, { timeoutFactor: 10 });
  opened.push(app);
  const get = async (path: string) => (await fetch(`${app.url}${path}`)).text();
  const limiter = async () => {
    const { checks } = JSON.parse(await get('/readyz?verbose'));
    return checks.find(({ name }: { name: string }) => name === 'limiter');
  };
  const isShared = async () => /^petstore_limiter_shared (\d)/m.exec(await get('/metrics'))?.[1];
  const warnings = () => lines.filter((line) => line.includes('limits are not shared'));
  return { stop: app.stop, warnings, limiter, isShared };
}

const POLL = { timeout: 60_000, interval: 200 };

it('a second node without Valkey makes both say that limits are not shared', async () => {
  const url = await createMigratedDatabase();
  const first = await startNode(url);
  expect(await first.limiter()).toEqual({
    name: 'limiter',
    ok: true,
    shared: true,
    topology: 'memory',
    nodes: 1,
    apart: 0,
  });
  expect(await first.isShared()).toBe('1');
  const second = await startNode(url);
  for (const node of [second, first]) {
    await expect.poll(node.isShared, POLL).toBe('0');
    const said = { ok: false, shared: false, nodes: 2, apart: 1 };
    await expect.poll(node.limiter, POLL).toMatchObject(said);
    expect((await node.limiter()).action).toContain('PETSTORE_VALKEY_URL');
    expect(node.warnings()).toHaveLength(1);
  }
  await opened.pop()!.stop();
  await expect.poll(first.isShared, POLL).toBe('1');
});

it('nodes with Valkey say whether Valkey decides', async () => {
  const url = await createMigratedDatabase();
  const valkey = { PETSTORE_VALKEY_URL: process.env.TEST_REDIS_URL! };
  await startNode(url, valkey);
  const second = await startNode(url, valkey);
  await expect.poll(second.isShared, POLL).toBe('1');
  await expect.poll(second.limiter, POLL).toMatchObject({ shared: true, topology: 'server' });
  expect(second.warnings()).toEqual([]);
});

const ownRedis = new URL(process.env.TEST_REDIS_URL!);
it.each([
  ['has no Valkey', {}],
  ['counts in another Valkey', { PETSTORE_VALKEY_URL: new URL('/7', ownRedis).href }],
])('every node says that limits are not shared while one node %s', async (_, environment) => {
  const url = await createMigratedDatabase();
  const together = [
    await startNode(url, { PETSTORE_VALKEY_URL: ownRedis.href }),
    // Another name of the same server.
    await startNode(url, { PETSTORE_VALKEY_URL: `redis://localhost:${ownRedis.port}` }),
  ];
  for (const node of together) await expect.poll(node.isShared, POLL).toBe('1');
  const apart = await startNode(url, environment);
  for (const node of [...together, apart]) {
    await expect.poll(node.isShared, POLL).toBe('0');
    const said = { ok: false, shared: false, nodes: 3, apart: node === apart ? 2 : 1 };
    await expect.poll(node.limiter, POLL).toMatchObject(said);
    expect(node.warnings()).toHaveLength(1);
  }
  const limiters = 'SELECT limiter FROM nodes ORDER BY started_at';
  const { rows } = await onDatabase(url, (client) => client.query(limiters));
  expect(rows.map(({ limiter }) => limiter)).toEqual(['shared', 'shared', 'alone']);
  await apart.stop();
  for (const node of together) await expect.poll(node.isShared, POLL).toBe('1');
});

it('every node says that limits are not shared while one of them cannot reach Valkey', async () => {
  const url = await createMigratedDatabase();
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const proxy = await PostgresProxy.start(redis.url);
  onTestFinished(() => proxy.stop());
  const nodes = [
    await startNode(url, { PETSTORE_VALKEY_URL: redis.url }),
    await startNode(url, { PETSTORE_VALKEY_URL: proxy.url }),
  ];
  for (const node of nodes) await expect.poll(node.isShared, POLL).toBe('1');
  proxy.leadTo('redis://127.0.0.1:1');
  for (const node of nodes) await expect.poll(node.isShared, POLL).toBe('0');
  proxy.leadTo(redis.url);
  for (const node of nodes) await expect.poll(node.isShared, POLL).toBe('1');
});

it('counts nodes by the clock of the database, and forgets one that was killed', async () => {
  const url = await createMigratedDatabase();
  const { store } = await openStore(readConfig({ PETSTORE_DATABASE_URL: url }));
  onTestFinished(() => store.close());
  const changes: unknown[] = [];
  const onFailure = (err: unknown) => {
    throw err;
  };
  const report = () =>
    ({
      version: '1',
      state: 'ready',
      requestsPerMinute: 0,
      memoryBytes: 1,
    }) as const;
  const open = () =>
    new NodeRegistry({
      store,
      report,
      countsIn: async () => undefined,
      onFailure,
      onChange: (others) => changes.push(others.all),
    });
  const [first, second] = [open(), open()];
  await first.beat();
  await second.beat();
  await first.beat();
  expect([first.others.all, second.others.all, changes]).toEqual([1, 1, [1, 1]]);
  const age = (ms: number) =>
    onDatabase(url, (client) => client.query(`UPDATE nodes SET seen_at = seen_at - ${ms}`));
  await age(16_000);
  await first.beat();
  expect([first.others.all, changes]).toEqual([0, [1, 1, 0]]);
  await age(86_400_000);
  await first.beat();
  await first.close();
  const { rows } = await onDatabase(url, (client) => client.query('SELECT id FROM nodes'));
  expect(rows).toEqual([]);
});
