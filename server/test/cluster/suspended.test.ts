import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type RunningApp, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { operations } from '../../src/operations/operations.ts';
import { bootstrap } from '../../src/services/bootstrap.ts';
import { createWorkspace } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { createMigratedDatabase } from '../support/servers.ts';

const NODES = 3;
/** Long enough for a slow machine; a node reads the log of changes twice a second. */
const WAIT = { timeout: 30_000, interval: 50 };
const SERVED = new Set([
  'getWorkspace',
  'getSession',
  'createSession',
  'deleteSession',
  'listPlans',
]);

const nodes: RunningApp[] = [];
let operator: string;
let tenant: { id: number; key: string };

beforeAll(async () => {
  const config = readConfig({
    PETSTORE_PORT: '0',
    PETSTORE_DATABASE_URL: await createMigratedDatabase(),
    PETSTORE_SIGNUP: 'open',
  });
  const { store } = await openStore(config);
  operator = (await bootstrap(store, { now: Date.now() }))!;
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const workspace = { name: 'Happy Paws', plan: 'enterprise', limits } as const;
  const created = await store.transact((tx) => createWorkspace(tx, { workspace, now: Date.now() }));
  tenant = { id: created.workspace.id, key: created.key.key };
  await store.close();
  const parts = { storageTimeoutFactor: 10 };
  for (let n = 0; n < NODES; n++) {
    nodes.push(await startApp(config, pino({ level: 'silent' }), parts));
  }
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
});

const call = (node: number, method: string, path: string, { key = tenant.key, body = '' } = {}) =>
  fetch(`${nodes[node]!.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === '' ? {} : { body }),
  });
const statusesOf = (path: string) =>
  Promise.all(nodes.map(async (_, n) => (await call(n, 'GET', path)).status));

it('every operation is refused on every node, except those that stay, and served again after resume', async () => {
  expect(await statusesOf('/pets')).toEqual([200, 200, 200]);
  const path = `/admin/workspaces/${tenant.id}`;
  const suspended = await call(0, 'POST', `${path}/suspend`, {
    key: operator,
    body: '{"reason":"unpaid"}',
  });
  expect(suspended.status).toBe(200);
  expect((await call(0, 'GET', '/pets')).status, 'on the node of the change at once').toBe(403);
  await vi.waitFor(async () => expect(await statusesOf('/pets')).toEqual([403, 403, 403]), WAIT);
  for (let n = 0; n < NODES; n++) {
    for (const { id, method, path: template } of operations) {
      const url = template.replaceAll(/\{\w+\}/g, '1');
      const answer = await call(n, method, url, method === 'GET' ? {} : { body: '{}' });
      const { code } = (await answer.json()) as { code?: string };
      const isRefused = answer.status === 403 && code === 'workspace_suspended';
      expect([id, isRefused]).toEqual([id, !SERVED.has(id)]);
    }
  }
  const resumed = await call(1, 'POST', `${path}/resume`, { key: operator });
  expect(resumed.status).toBe(200);
  await vi.waitFor(async () => expect(await statusesOf('/pets')).toEqual([200, 200, 200]), WAIT);
});
