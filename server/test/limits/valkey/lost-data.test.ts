// What Redis has lost, nodes take from the database: bans, strikes and the day's count.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../../../src/domain/key.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { ValkeyLimiter } from '../../../src/limits/valkey/valkey-limiter.ts';
import { onRedis, startRedis, type TestServer } from '../../support/servers.ts';
import { rules, VirtualClock } from '../history.ts';
import { LimitDatabase } from '../limit-database.ts';
import { isShared, openNode, workspaceIds } from './valkey-server.ts';

const MINUTE_MS = 60_000;
const POLL = { timeout: 60_000, interval: 50 };
const nextWorkspace = workspaceIds();
let redis: TestServer;
let clock: VirtualClock;
let db: LimitDatabase;
let opened: ValkeyLimiter[] = [];
let caller: Caller;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());
beforeEach(() => {
  clock = new VirtualClock();
  db = new LimitDatabase();
  const workspaceId = nextWorkspace();
  const limits = { perMinute: 1, perDay: 1_000 };
  caller = { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
});
afterEach(async () => {
  for (const node of opened) await node.close();
  opened = [];
});

async function newNode(url = redis.url): Promise<ValkeyLimiter> {
  const options = { url, clock, storeClock: clock, store: db.connect() };
  const { limiter } = await openNode(options);
  opened.push(limiter);
  return limiter;
}

async function refusalOf(node: ValkeyLimiter) {
  const { refusal } = await node.admit(caller, 1);
  if (!refusal) throw new Error('the request was admitted');
  return refusal;
}

/** Sends until the key is banned and returns how long the ban lasts. */
async function ban(node: ValkeyLimiter): Promise<number> {
  await node.admit(caller, 1);
  while ((await refusalOf(node)).refusalsBeforeBan > 0);
  return (await refusalOf(node)).until - clock.at;
}

/** Redis comes back with the data of the last SAVE. */
async function loseLatestData(nodes: readonly ValkeyLimiter[]): Promise<void> {
  await redis.kill();
  for (const node of nodes) await isShared(node, false);
  await redis.restart();
  for (const node of nodes) await isShared(node);
}

test('a ban holds on every node after Redis came back with older data', async () => {
  const nodes = [await newNode(), await newNode()] as const;
  for (const node of nodes) await node.peek(caller);
  await onRedis(redis.url, 'SAVE');
  await ban(nodes[0]);
  await loseLatestData(nodes);
  for (const node of nodes.toReversed()) expect((await refusalOf(node)).by).toBe('ban');
  expect((await refusalOf(await newNode())).by).toBe('ban');
  const stored = await onRedis(
    redis.url,
    'HGET',
    `petstore:{w:${caller.workspaceId}}`,
    `b:${caller.keyId}`,
  );
  expect(stored).toContain(String(clock.at + MINUTE_MS));
});

test('the next ban is the next strike after Redis came back with older data', async () => {
  const node = await newNode();
  await node.peek(caller);
  await onRedis(redis.url, 'SAVE');
  expect(await ban(node)).toBe(MINUTE_MS);
  clock.at += MINUTE_MS;
  await loseLatestData([node]);
  expect(await ban(await newNode())).toBe(5 * MINUTE_MS);
  expect(db.bans.get(caller.keyId)!.strikes).toBe(2);
});

test('the next ban is the next strike after FLUSHALL', async () => {
  expect(await ban(await newNode())).toBe(MINUTE_MS);
  clock.at += MINUTE_MS;
  await onRedis(redis.url, 'FLUSHALL');
  expect(await ban(await newNode())).toBe(5 * MINUTE_MS);
});

test('a ban given alone holds within a second on another node that is alone too', async () => {
  const nodes = [await newNode(), await newNode()] as const;
  for (const node of nodes) await node.peek(caller);
  await redis.kill();
  onTestFinished(() => redis.restart());
  for (const node of nodes) await isShared(node, false);
  expect((await nodes[1].admit(caller, 1)).refusal).toBeUndefined();
  await ban(nodes[0]);
  clock.at += 1_000;
  expect((await refusalOf(nodes[1])).by).toBe('ban');
});

test('a ban given alone holds within a second on a node that has kept its connection', async () => {
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    const upstream = connect(redis.port, '127.0.0.1').on('error', () => {});
    sockets.push(socket.on('error', () => {}).on('close', () => upstream.destroy()));
    socket.pipe(upstream).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const cutOff = await newNode(`redis://127.0.0.1:${port}`);
  const connected = await newNode();
  for (const node of [cutOff, connected]) await node.peek(caller);
  proxy.close();
  for (const socket of sockets) socket.destroy();
  await isShared(cutOff, false);
  await ban(cutOff);
  clock.at += 1_000;
  expect((await refusalOf(connected)).by).toBe('ban');
});

test('the day goes on from the database when Redis was emptied and every node replaced', async () => {
  const limits = { perMinute: 1_000, perDay: 10 };
  const daily = { ...caller, limits };
  const before = await newNode();
  for (let sent = 0; sent < 7; sent++) await before.admit(daily, 1);
  db.admitted.set(caller.workspaceId, 7);
  await before.close();
  await onRedis(redis.url, 'FLUSHALL');
  const after = [await newNode(), await newNode()] as const;
  expect((await after[0].peek(daily)).windows[1]!.remaining).toBe(3);
  const verdicts = [];
  for (let sent = 0; sent < 8; sent++) verdicts.push(await after[sent % 2]!.admit(daily, 1));
  expect(verdicts.filter(({ refusal }) => !refusal)).toHaveLength(3);
});

test('a node that starts while Redis is away takes the day from the database', async () => {
  const daily = { ...caller, limits: { perMinute: 1_000, perDay: 10 } };
  db.admitted.set(caller.workspaceId, 7);
  await redis.kill();
  onTestFinished(() => redis.restart());
  const node = new ValkeyLimiter({
    url: redis.url,
    coalescer: new Coalescer(),
    clock,
    storeClock: clock,
    store: db.connect(),
    policy: rules,
    onStoreFailure: () => {},
  });
  opened.push(node);
  expect((await node.peek(daily)).windows[1]!.remaining).toBe(3);
});

test('a request waits for one read of the bans, however slow the database is', async () => {
  const store = db.connect();
  const listBans = store.listBans.bind(store);
  let reads = 0;
  store.listBans = (now, workspaceId) => {
    reads += 1;
    clock.at += 5_000;
    return listBans(now, workspaceId);
  };
  const { limiter } = await openNode({ url: redis.url, clock, storeClock: clock, store });
  opened.push(limiter);
  expect((await limiter.admit(caller, 1)).refusal).toBeUndefined();
  expect(reads).toBe(1);
});

test('a database that does not answer delays no decision for long', async () => {
  const store = db.connect();
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const { limiter } = await openNode({ url: redis.url, clock, storeClock: clock, store });
  opened.push(limiter);
  store.gate = promise;
  expect((await limiter.admit(caller, 1)).refusal).toBeUndefined();
  expect((await limiter.admit(caller, 1)).refusal?.by).toBe('minute');
  answer();
});

test('a store keeps its name for the nodes that know it, and another store has another name', async () => {
  const [node, other] = [await newNode(), await newNode()];
  const names = (await node.storeNames())!;
  expect(await other.storeNames()).toEqual(names);
  const elsewhere = await newNode(new URL('/1', redis.url).href);
  expect(names).not.toContain((await elsewhere.storeNames())![0]);
  await onRedis(redis.url, 'FLUSHALL');
  const again = [names[0], names[0]];
  expect(await other.storeNames()).toEqual(again);
  expect(await node.storeNames()).toEqual(again);
});

test('a name is known for a while after it was replaced, and a copy of a store soon has others', async () => {
  const [node, other] = [await newNode(), await newNode()];
  const [first] = (await node.storeNames())!;
  const copy = await startRedis({ settings: ['--replicaof', '127.0.0.1', `${redis.port}`] });
  onTestFinished(() => copy.stop());
  await expect.poll(() => onRedis(copy.url, 'EXISTS', 'petstore:{names}'), POLL).toBe(1);
  await onRedis(copy.url, 'REPLICAOF', 'NO', 'ONE');
  const elsewhere = await newNode(copy.url);
  expect((await elsewhere.storeNames())![0]).toBe(first);
  clock.at += 20_000;
  const [second, before] = (await other.storeNames())!;
  expect(before).toBe(first);
  expect(second).not.toBe(first);
  clock.at += 19_000;
  expect(await node.storeNames()).toEqual([second, first]);
  await elsewhere.storeNames();
  clock.at += 20_000;
  const names = (await node.storeNames())!;
  expect(names[1]).toBe(second);
  for (const name of (await elsewhere.storeNames())!) expect(names).not.toContain(name);
});
