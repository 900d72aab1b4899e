import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { DAY_MS } from '../../../src/domain/durations.ts';
import type { Caller } from '../../../src/domain/key.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { ValkeyLimiter } from '../../../src/limits/valkey/valkey-limiter.ts';
import { onRedis, startRedis, type TestServer } from '../../support/servers.ts';
import { rules, VirtualClock } from '../history.ts';
import { LimitDatabase } from '../limit-database.ts';
import { isShared, openNode, workspaceIds } from './valkey-server.ts';

const nextWorkspace = workspaceIds();
let redis: TestServer;
let opened: ValkeyLimiter[] = [];

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());
afterEach(async () => {
  for (const node of opened) await node.close();
  opened = [];
});

interface Cluster {
  nodes: ValkeyLimiter[];
  failures: unknown[];
  db: LimitDatabase;
}

async function openCluster(count: number, silenceMaxMs = 10_000): Promise<Cluster> {
  const cluster: Cluster = { nodes: [], failures: [], db: new LimitDatabase() };
  for (let node = 0; node < count; node++) {
    const { limiter } = await openNode({
      url: redis.url,
      silenceMaxMs,
      store: cluster.db.connect(),
      onStoreFailure: (err) => cluster.failures.push(err),
    });
    cluster.nodes.push(limiter);
    opened.push(limiter);
  }
  return cluster;
}

/** The day is the window that refuses: a minute could end during a test on a slow machine. */
function newCaller(perDay: number): Caller {
  const workspaceId = nextWorkspace();
  const limits = { perMinute: 1_000_000, perDay };
  return { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
}

async function send(nodes: readonly ValkeyLimiter[], caller: Caller, times: number) {
  const verdicts = await Promise.all(
    Array.from({ length: times }, (_, sent) => nodes[sent % nodes.length]!.admit(caller, 1)),
  );
  return verdicts.filter(({ refusal }) => !refusal).length;
}

async function ban(node: ValkeyLimiter, caller: Caller) {
  for (;;) {
    const { refusal } = await node.admit(caller, 1);
    if (refusal?.by === 'ban') return refusal;
  }
}

test.each([1, 3])(
  '%i nodes admit at most the limit each when the store is killed',
  async (count) => {
    const { nodes, failures } = await openCluster(count);
    const caller = newCaller(200);
    let admitted = 0;
    let killing: Promise<void> | undefined;
    for (let round = 0; round < 30; round++) {
      if (round === 15) killing = redis.kill();
      admitted += await send(nodes, caller, 6 * count);
    }
    await killing;
    for (const node of nodes) await isShared(node, false);
    await redis.restart();
    for (const node of nodes) await isShared(node);
    admitted += await send(nodes, caller, 300 * count);
    expect(admitted).toBeGreaterThan(180);
    expect(admitted).toBeLessThanOrEqual(200 * count);
    expect(failures).toHaveLength(count);
  },
);

test('a single node whose store went away and came back admits exactly the limit', async () => {
  const { nodes } = await openCluster(1);
  const caller = newCaller(100);
  expect(await send(nodes, caller, 30)).toBe(30);
  await redis.kill();
  expect(await send(nodes, caller, 30)).toBe(30);
  await redis.restart();
  await isShared(nodes[0]!);
  expect(await send(nodes, caller, 60)).toBe(40);
});

test.each([1, 2, 4])(
  'admits at most the limit when %i ms of silence are too long',
  async (silenceMaxMs) => {
    for (let round = 0; round < 5; round++) {
      const { nodes } = await openCluster(1, silenceMaxMs);
      expect(await send(nodes, newCaller(1_000), 2_000)).toBeLessThanOrEqual(1_000);
      const both = [...nodes, ...(await openCluster(1, silenceMaxMs)).nodes];
      expect(await send(both, newCaller(1_000), 4_000)).toBeLessThanOrEqual(2_000);
    }
  },
);

test('starts without its store, reports it once, and uses it when it comes', async () => {
  await redis.kill();
  const failures: unknown[] = [];
  let recoveries = 0;
  const limiter = new ValkeyLimiter({
    coalescer: new Coalescer(),
    url: redis.url,
    store: new LimitDatabase().connect(),
    clock: { now: Date.now },
    policy: rules,
    silenceMaxMs: 10_000,
    onStoreFailure: (err) => failures.push(err),
    onStoreRecovery: () => {
      recoveries += 1;
    },
  });
  opened.push(limiter);
  await limiter.ready();
  expect(limiter.isShared).toBe(false);
  expect(await send([limiter], newCaller(60), 80)).toBe(60);
  expect((await limiter.admitBucket('10.0.0.1', 1)).refusal).toBeUndefined();
  expect((await limiter.admitBucket('10.0.0.1', 1)).refusal?.by).toBe('minute');
  expect(failures).toHaveLength(1);
  await redis.restart();
  await isShared(limiter);
  expect(recoveries).toBe(1);
});

test('reads a slow database once while the store is away', async () => {
  const store = new LimitDatabase().connect();
  const load = vi.spyOn(store, 'load').mockImplementation(async () => {
    await pause(200);
    return { bans: [] };
  });
  const { limiter } = await openNode({ url: redis.url, store });
  opened.push(limiter);
  await redis.kill();
  onTestFinished(() => redis.restart());
  await isShared(limiter, false);
  const caller = newCaller(60);
  expect(await send([limiter], caller, 80)).toBe(60);
  await pause(200);
  expect(await send([limiter], caller, 1)).toBe(0);
  expect(load).toHaveBeenCalledTimes(1);
});

test('decides alone while the store hangs, and through it afterwards', async () => {
  const { nodes, failures } = await openCluster(1, 50);
  const [node] = nodes as [ValkeyLimiter];
  const caller = newCaller(1_000);
  await send(nodes, caller, 10);
  process.kill(redis.pid, 'SIGSTOP');
  try {
    expect(await send(nodes, caller, 20)).toBe(20);
    await isShared(node, false);
    expect(await send(nodes, caller, 5)).toBe(5);
    expect(failures.map(String)).toContain('Error: Valkey did not reply in time');
  } finally {
    process.kill(redis.pid, 'SIGCONT');
  }
  await isShared(node);
  expect((await node.admit(caller, 1)).windows[1]!.remaining).toBeLessThanOrEqual(1_000 - 36);
});

test('replaces a connection that stays silent', async () => {
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    const upstream = connect(redis.port, '127.0.0.1').on('error', () => {});
    sockets.push(socket.on('error', () => {}));
    socket.pipe(upstream).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const { limiter } = await openNode({ url: `redis://127.0.0.1:${port}`, silenceMaxMs: 50 });
  opened.push(limiter);
  for (const socket of sockets) socket.unpipe().pause();
  const caller = newCaller(60);
  expect(await send([limiter], caller, 40)).toBe(40);
  expect(await send([limiter], caller, 40)).toBe(20);
  await isShared(limiter);
  expect(sockets.length).toBeGreaterThan(1);
  expect(await send([limiter], caller, 1)).toBe(0);
  await limiter.close();
  proxy.close();
});

test('is not shared while the store accepts the connection but refuses scripts', async () => {
  const user = ['ACL', 'SETUSER', 'guest', 'on', '>guest', '~*', '+@all', '-eval', '-evalsha'];
  await onRedis(redis.url, ...user);
  const failures: unknown[] = [];
  const limiter = new ValkeyLimiter({
    coalescer: new Coalescer(),
    url: redis.url.replace('//', '//guest:guest@'),
    store: new LimitDatabase().connect(),
    clock: { now: Date.now },
    policy: rules,
    silenceMaxMs: 60_000,
    onStoreFailure: (err) => failures.push(err),
  });
  opened.push(limiter);
  await expect.poll(() => failures.map(String)).toEqual([expect.stringContaining('NOPERM')]);
  expect(limiter.isShared).toBe(false);
});

test('leaves a server at its first READONLY, and uses it again once it is a master', async () => {
  // Nothing that is done once a second is done.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { nodes, failures } = await openCluster(1);
  await onRedis(redis.url, 'REPLICAOF', '127.0.0.1', '1');
  onTestFinished(async () => void (await onRedis(redis.url, 'REPLICAOF', 'NO', 'ONE')));
  expect(nodes[0]!.isShared).toBe(true);
  const caller = newCaller(10);
  expect(await send(nodes, caller, 5)).toBe(5);
  await isShared(nodes[0]!, false);
  expect(failures.map(String)).toEqual([expect.stringContaining('READONLY')]);
  await onRedis(redis.url, 'REPLICAOF', 'NO', 'ONE');
  await isShared(nodes[0]!);
  expect(await send(nodes, caller, 10)).toBe(5);
});

test('a sweep forgets no workspace with a call under way', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = new VirtualClock();
  const policy = { refusalsToBan: 2, ladderMs: [DAY_MS] };
  const options = { url: redis.url, clock, policy, storeClock: clock };
  const { limiter, failures } = await openNode(options);
  opened.push(limiter);
  const caller = newCaller(1);
  const { until } = await ban(limiter, caller);
  // The day is over, the ban is not.
  clock.at += DAY_MS / 2;
  await limiter.peek(caller);
  for (let round = 0; round < 20; round++) {
    const asked = limiter.peek(caller);
    await new Promise(setImmediate);
    vi.advanceTimersByTime(60_000);
    expect((await asked).refusal).toMatchObject({ by: 'ban', until });
  }
  expect(failures).toEqual([]);
});

test('FLUSHALL loses no ban and no count that a node knows', async () => {
  const { nodes, db } = await openCluster(2, 10_000);
  const caller = newCaller(50);
  expect(await send(nodes, caller, 50)).toBe(50);
  const { until } = await ban(nodes[0]!, caller);
  await onRedis(redis.url, 'FLUSHALL');
  const fresh = (await openNode({ url: redis.url, store: db.connect() })).limiter;
  opened.push(fresh);
  for (const node of [...nodes, fresh]) {
    expect((await node.admit(caller, 1)).refusal).toMatchObject({ by: 'ban', until });
  }
  const sibling = { ...caller, keyId: `${caller.workspaceId}.b` };
  await onRedis(redis.url, 'FLUSHALL');
  expect((await nodes[1]!.admit(sibling, 1)).refusal?.by).toBe('day');
  expect((await nodes[1]!.admit(caller, 1)).refusal).toMatchObject({ by: 'ban', until });
});

test('a ban that a node gave alone holds on all nodes when the store is back', async () => {
  const { nodes } = await openCluster(2);
  const caller = newCaller(10);
  await send([nodes[0]!], caller, 1);
  await onRedis(redis.url, 'SAVE');
  await redis.kill();
  const { until } = await ban(nodes[0]!, caller);
  await redis.restart();
  for (const node of nodes) await isShared(node);
  expect((await nodes[1]!.admit(caller, 1)).refusal).toMatchObject({ by: 'ban', until });
  expect((await nodes[0]!.admit(caller, 1)).refusal).toMatchObject({ by: 'ban', until });
});

test('a ban lifted on one node is lifted on all, and listed by all until then', async () => {
  const { nodes, db } = await openCluster(2, 10_000);
  const caller = newCaller(1);
  await ban(nodes[0]!, caller);
  for (const node of nodes) {
    expect((await node.admit(caller, 1)).refusal?.by).toBe('ban');
    expect(await node.bans(caller.workspaceId)).toMatchObject([{ keyId: caller.keyId }]);
  }
  expect(db.liftBan(caller.keyId, Date.now())).toBe(true);
  await nodes[1]!.lift(caller.keyId);
  for (const node of nodes) {
    expect((await node.admit(caller, 1)).refusal?.by).toBe('day');
    expect(await node.bans(caller.workspaceId)).toEqual([]);
  }
});

test('nodes with different clocks decide by the clock of the store', async () => {
  const caller = newCaller(100);
  const skews = [-300_000, 0, 300_000];
  const nodes: ValkeyLimiter[] = [];
  for (const skew of skews) {
    const clock = { now: () => Date.now() + skew };
    nodes.push((await openNode({ url: redis.url, clock })).limiter);
  }
  opened.push(...nodes);
  expect(await send(nodes, caller, 150)).toBe(100);
  const verdicts = await Promise.all(nodes.map((node) => node.peek(caller)));
  const resets = verdicts.map(({ windows }) => windows[0]!.resetAt);
  expect(new Set(resets).size).toBe(1);
  for (const { at } of verdicts) expect(Math.abs(at! - Date.now())).toBeLessThan(60_000);
});
