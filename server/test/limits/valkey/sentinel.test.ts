import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Caller } from '../../../src/domain/key.ts';
import type { ValkeyLimiter } from '../../../src/limits/valkey/valkey-limiter.ts';
import { startSentinel, startSentinels, until } from '../../support/redis-topologies.ts';
import { startRedis } from '../../support/servers.ts';
import { LimitDatabase } from '../limit-database.ts';
import { isShared, openNode, workspaceIds } from './valkey-server.ts';

const NODES = 3;
const DELAY_MS = 180;
const nextWorkspace = workspaceIds();
let nodes: ValkeyLimiter[] = [];

afterEach(async () => {
  for (const node of nodes) await node.close();
  nodes = [];
});

async function newSentinels(options = {}) {
  const sentinels = await startSentinels(options);
  onTestFinished(() => sentinels.stop());
  return sentinels;
}

async function openNodes(url: string, failures: unknown[] = []): Promise<void> {
  const db = new LimitDatabase();
  const onStoreFailure = (err: unknown) => failures.push(err);
  for (let node = 0; node < NODES; node++) {
    nodes.push((await openNode({ url, store: db.connect(), onStoreFailure })).limiter);
  }
  // On a busy machine the first attempt to connect may fail.
  failures.length = 0;
}

function newCaller(perDay: number): Caller {
  const workspaceId = nextWorkspace();
  const limits = { perMinute: 1_000_000, perDay };
  return { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
}

async function send(caller: Caller, times: number): Promise<number> {
  let admitted = 0;
  for (let sent = 0; sent < times; sent++) {
    if (!(await nodes[sent % NODES]!.admit(caller, 1)).refusal) admitted += 1;
  }
  return admitted;
}

/** A port that leads to another one and delays what comes back. */
async function delayed(to: number): Promise<number> {
  const proxy = createServer((client) => {
    const server = connect(to, '127.0.0.1');
    client.pipe(server);
    server.on('data', (data) => setTimeout(() => client.write(data), DELAY_MS));
    for (const socket of [client, server]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return (proxy.address() as AddressInfo).port;
}

describe('nodes behind Sentinel', () => {
  test('follow a failover, and admit at most what was left each while there was no master', async () => {
    const sentinels = await newSentinels();
    const failures: unknown[] = [];
    await openNodes(sentinels.url, failures);
    const caller = newCaller(60);
    expect(await send(caller, 30)).toBe(30);
    // With a request of their own, all nodes know the same count.
    for (const node of nodes) await node.peek(caller);
    const old = await sentinels.master();
    await old.kill();
    for (const node of nodes) await isShared(node, false);
    expect(await send(caller, 3 * 100)).toBe(NODES * 30);
    await sentinels.failOver();
    for (const node of nodes) await isShared(node);
    expect(nodes[0]!.topology.servers).toEqual([
      { address: `127.0.0.1:${(await sentinels.master()).port}`, isUp: true },
    ]);
    expect(await send(caller, 30)).toBe(0);
    const fresh = newCaller(10);
    expect(await send(fresh, 30)).toBe(10);
    expect(failures.map(String)).toHaveLength(NODES);
  });

  test('leave a master that was demoted while it goes on answering', async () => {
    const sentinels = await newSentinels();
    await openNodes(sentinels.url);
    const old = await sentinels.master();
    const [promoted] = sentinels.servers.filter((server) => server !== old);
    await sentinels.failOver();
    const address = `127.0.0.1:${promoted!.port}`;
    for (const node of nodes) {
      await until(() => node.isShared && node.topology.servers[0]?.address === address);
    }
    expect(await send(newCaller(10), 30)).toBe(10);
  });

  test('go to another master as soon as a Sentinel announces it', async () => {
    // Nothing that is done once a second is done.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const sentinels = await newSentinels();
    await openNodes(sentinels.url);
    const old = await sentinels.master();
    const [promoted] = sentinels.servers.filter((server) => server !== old);
    // Its connections stay open, and none of them ends by a demotion.
    process.kill(old.pid, 'SIGSTOP');
    onTestFinished(() => old.kill());
    await sentinels.failOver();
    const address = `127.0.0.1:${promoted!.port}`;
    for (const node of nodes) {
      await until(() => node.isShared && node.topology.servers[0]?.address === address);
    }
    expect(await send(newCaller(10), 30)).toBe(10);
  });

  test('use the passwords of the URL, one for the servers and one for the Sentinels', async () => {
    const { url } = await newSentinels({ password: 'p1', sentinelPassword: 'p2' });
    await openNodes(url);
    expect(await send(newCaller(10), 30)).toBe(10);
  });

  test('find their master through a Sentinel that is slow', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const sentinel = await startSentinel(server.port);
    onTestFinished(() => sentinel.stop());
    const port = await delayed(sentinel.port);
    // To connect, to ask what it is and to ask for the master takes longer than an answer is waited for.
    await openNodes(`redis+sentinel://127.0.0.1:${port}/mymaster`);
    expect(await send(newCaller(10), 30)).toBe(10);
  });

  test('go on with their master while no Sentinel answers', async () => {
    const sentinels = await newSentinels();
    const failures: unknown[] = [];
    await openNodes(sentinels.url, failures);
    for (const sentinel of sentinels.sentinels) await sentinel.kill();
    const caller = newCaller(10);
    expect(await send(caller, 15)).toBe(10);
    // Longer than a check of the master takes.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(failures).toEqual([]);
    for (const node of nodes) expect(node.isShared).toBe(true);
  });
});
