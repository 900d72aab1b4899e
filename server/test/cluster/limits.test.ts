import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningApp, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { bootstrap, createWorkspace } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { createMigratedDatabase, startRedis, type TestServer } from '../support/servers.ts';

/** Long enough for a slow machine; a node reads the log of changes twice a second. */
const WAIT = { timeout: 30_000, interval: 50 };
const PER_DAY = 30;
const ADDED = 12;

const nodes: RunningApp[] = [];
let redis: TestServer;
let operator: string;
let tenant: { id: number; key: string };

beforeAll(async () => {
  redis = await startRedis();
  const config = readConfig({
    PETSTORE_PORT: '0',
    PETSTORE_DATABASE_URL: await createMigratedDatabase(),
    PETSTORE_VALKEY_URL: redis.url,
    PETSTORE_BAN_AFTER: '1000',
  });
  const { store } = await openStore(config);
  operator = (await bootstrap(store, { now: Date.now() }))!;
  const limits = { perMinute: 1_000_000, perDay: PER_DAY };
  const workspace = { name: 'Happy Paws', plan: 'enterprise', limits } as const;
  const created = await store.transact((tx) => createWorkspace(tx, { workspace, now: Date.now() }));
  tenant = { id: created.workspace.id, key: created.key.key };
  await store.close();
  for (let n = 0; n < 3; n++) {
    nodes.push(await startApp(config, pino({ level: 'silent' }), { timeoutFactor: 10 }));
  }
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await redis.stop();
});

const ask = (node: number, path: string) =>
  fetch(`${nodes[node]!.url}/v1${path}`, { headers: { authorization: `Bearer ${tenant.key}` } });
/** Of requests that the nodes take in turns. */
async function admittedOf(count: number): Promise<number> {
  const sent = Array.from({ length: count }, async (_, n) => (await ask(n % 3, '/pets')).status);
  return (await Promise.all(sent)).filter((status) => status === 200).length;
}

const operate = (method: string, path: string, body: object) =>
  fetch(`${nodes[0]!.url}/v1/admin/workspaces/${tenant.id}${path}`, {
    method,
    headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
/** The limit of a day, as each node counts. */
const limits = () =>
  Promise.all(
    nodes.map(async (_, n) => {
      const { windows } = (await (await ask(n, '/usage')).json()) as {
        windows: [unknown, { limit: number }];
      };
      return windows[1].limit;
    }),
  );
const counted = (limit: number) =>
  vi.waitFor(async () => expect(await limits()).toEqual([limit, limit, limit]), WAIT);

describe('on three nodes that share Valkey', () => {
  it('a grant counts on all of them, and all together admit exactly what was added', async () => {
    expect(await admittedOf(PER_DAY + 6)).toBe(PER_DAY);
    const granted = await operate('POST', '/grants', { perDay: ADDED, reason: 'a sale' });
    expect(granted.status).toBe(200);
    await counted(PER_DAY + ADDED);
    expect(await admittedOf(ADDED + 9)).toBe(ADDED);
  });

  it('a plan that is changed on one of them counts on all', async () => {
    const { status } = await operate('PATCH', '', { plan: 'pro' });
    expect(status).toBe(200);
    // What was granted for the day stays.
    await counted(10_000 + ADDED);
    expect(await admittedOf(30)).toBe(30);
  });
});
