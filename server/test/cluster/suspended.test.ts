import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type RunningApp, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { MINUTE_MS } from '../../src/domain/durations.ts';
import { operations } from '../../src/operations/operations.ts';
import { createCategory } from '../../src/services/categories.ts';
import { bootstrap, createWorkspace } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { StreamReader } from '../operations/events/stream-reader.ts';
import { TestReceiver } from '../operations/webhooks/receiver-app.ts';
import { TestClock } from '../support/app.ts';
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
const clock = new TestClock();
let outside: Datastore;
let operator: string;
let tenant: { id: number; key: string };

beforeAll(async () => {
  const config = readConfig({
    PETSTORE_PORT: '0',
    PETSTORE_DATABASE_URL: await createMigratedDatabase(),
    PETSTORE_SIGNUP: 'open',
    PETSTORE_SECRET_KEY: Buffer.alloc(32, 'test').toString('base64'),
    PETSTORE_WEBHOOK_VERIFY: 'none',
    PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
  });
  const { store } = await openStore(config);
  operator = (await bootstrap(store, { now: Date.now() }))!;
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  const workspace = { name: 'Happy Paws', plan: 'enterprise', limits } as const;
  const created = await store.transact((tx) => createWorkspace(tx, { workspace, now: Date.now() }));
  tenant = { id: created.workspace.id, key: created.key.key };
  outside = store;
  const parts = { clock, timeoutFactor: 10 };
  for (let n = 0; n < NODES; n++) {
    nodes.push(await startApp(config, pino({ level: 'silent' }), parts));
  }
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await outside.close();
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

const created = async (node: number, path: string, body: object) => {
  const answer = await call(node, 'POST', path, { body: JSON.stringify(body) });
  expect(answer.status).toBe(201);
  return (await answer.json()) as { id: number };
};
const change = async (node: number, name: string, body = '') => {
  const path = `/admin/workspaces/${tenant.id}/${name}`;
  expect((await call(node, 'POST', path, { key: operator, body })).status).toBe(200);
};
const caller = () => {
  const keyId = tenant.key.slice(4, 16);
  const limits = { perMinute: 1, perDay: 1 };
  return { workspaceId: tenant.id, keyId, scopes: [], limits };
};

it('streams, polls, deliveries and expiry stop on every node, and go on after resume without loss', async () => {
  const receiver = await new TestReceiver().listen();
  onTestFinished(() => receiver.close());
  await created(0, '/webhooks', { url: receiver.url, types: ['category.*'] });
  const { id: categoryId } = await created(0, '/categories', { name: 'before' });
  await expect.poll(() => receiver.received.length, WAIT).toBe(1);
  const { id: petId } = await created(1, '/pets', { name: 'Rex', categoryId });
  const stock = await call(1, 'PATCH', `/inventory/${petId}`, { body: '{"quantity":5}' });
  expect(stock.status).toBe(200);
  const expiresAt = new Date(clock.now() + MINUTE_MS).toISOString();
  const { id: orderId } = await created(2, '/store/orders', { petId, expiresAt });
  const streams = await Promise.all(
    nodes.map(({ url }) => StreamReader.open({ address: url, key: tenant.key })),
  );
  const cursor = (await call(0, 'GET', '/events')).headers.get('events-cursor');
  const polls = nodes.map((_, n) => call(n, 'GET', `/events?after=${cursor}&wait=25`));
  await pause(200);

  await change(0, 'suspend', '{"reason":"unpaid"}');
  for (const stream of streams) await stream.until(({ isEnded }) => isEnded);
  expect(await Promise.all(polls.map(async (poll) => (await poll).status))).toEqual([
    403, 403, 403,
  ]);
  // No delivery starts later than this.
  await pause(2_000);
  clock.advance(MINUTE_MS);
  for (const name of ['a', 'b', 'c']) {
    await outside.transact((tx) =>
      createCategory(tx, { caller: caller(), category: { name }, now: Date.now() }),
    );
  }
  await pause(2_000);
  expect(receiver.received).toHaveLength(1);
  const order = () => outside.read.orders.find(tenant.id, orderId);
  expect((await order())!.endedAt).toBeUndefined();

  await change(2, 'resume');
  await vi.waitFor(async () => expect(await statusesOf('/pets')).toEqual([200, 200, 200]), WAIT);
  await created(1, '/categories', { name: 'after' });
  await expect.poll(() => receiver.received.length, WAIT).toBe(5);
  const names = receiver.received.map(({ body }) => JSON.parse(body).data.category.name);
  expect(names).toEqual(['before', 'a', 'b', 'c', 'after']);
  await expect.poll(async () => (await order())!.endedAt, WAIT).toBeDefined();
});
