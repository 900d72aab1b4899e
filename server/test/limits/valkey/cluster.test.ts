// A Cluster of three masters with a replica each. What happens to one master concerns its own workspaces alone.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../src/domain/key.ts';
import { hashSlot } from '../../../src/limits/valkey/cluster.ts';
import type { ValkeyLimiter } from '../../../src/limits/valkey/valkey-limiter.ts';
import {
  moveSlot,
  promote,
  startCluster,
  type TestCluster,
} from '../../support/redis-topologies.ts';
import { onRedis } from '../../support/servers.ts';
import { rules } from '../history.ts';
import { LimitDatabase } from '../limit-database.ts';
import { isShared, openNode, workspaceIds } from './valkey-server.ts';

const SHARE = Math.ceil(16_384 / 3);
const NODES = 3;
const nextWorkspace = workspaceIds();
let cluster: TestCluster;
let nodes: ValkeyLimiter[] = [];
let failures: unknown[];

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
afterEach(async () => {
  for (const node of nodes) await node.close();
  nodes = [];
});

async function openNodes(): Promise<void> {
  nodes = [];
  failures = [];
  const db = new LimitDatabase();
  const onStoreFailure = (err: unknown) => failures.push(err);
  for (let node = 0; node < NODES; node++) {
    const options = { url: cluster.url, store: db.connect(), onStoreFailure };
    nodes.push((await openNode(options)).limiter);
  }
}

function slotOf({ workspaceId }: Caller): number {
  return hashSlot(`petstore:{w:${workspaceId}}`);
}

/** A workspace in a slot of this master. */
function callerOn(master: number, perDay: number): Caller {
  for (;;) {
    const workspaceId = nextWorkspace();
    const limits = { perMinute: 1_000_000, perDay };
    const caller = { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
    if (Math.floor(slotOf(caller) / SHARE) === master) return caller;
  }
}

/** Sends one request after the other, in turn to each node, until `isOver`. Returns how many were admitted. */
async function load(caller: Caller, isOver: () => boolean): Promise<number> {
  let admitted = 0;
  for (let sent = 0; !isOver(); sent++) {
    const { refusal } = await nodes[sent % NODES]!.admit(caller, 1);
    if (!refusal) admitted += 1;
  }
  return admitted;
}

async function usedOf(node: ValkeyLimiter, caller: Caller): Promise<number> {
  return caller.limits.perDay - (await node.peek(caller)).windows[1]!.remaining;
}

test('the slot of a key is the one that the server computes', async () => {
  for (const key of ['petstore:{w:1}', 'petstore:{b:10.0.0.1}', 'plain', '{}{x}', 'é{ü}']) {
    const slot = await onRedis(cluster.masters[0]!.url, 'CLUSTER', 'KEYSLOT', key);
    expect(hashSlot(key)).toBe(slot);
  }
});

test('nodes share the limits of workspaces on every master', async () => {
  await openNodes();
  for (const master of [0, 1, 2]) {
    const caller = callerOn(master, 100);
    const verdicts = await Promise.all(
      Array.from({ length: 300 }, (_, sent) => nodes[sent % NODES]!.admit(caller, 1)),
    );
    expect(verdicts.filter(({ refusal }) => !refusal)).toHaveLength(100);
  }
  expect((await nodes[0]!.admitBucket('10.0.0.1', 1)).refusal).toBeUndefined();
  expect((await nodes[1]!.admitBucket('10.0.0.1', 1)).refusal?.by).toBe('minute');
  expect(failures).toEqual([]);
});

test('every request is counted once while its slot moves, and refusals lead to a ban', async () => {
  await openNodes();
  const { masters } = cluster;
  const caller = callerOn(0, 1_000_000);
  const other = callerOn(1, 1_000_000);
  const limited = { ...caller, workspaceId: caller.workspaceId, keyId: `${caller.workspaceId}.b` };
  let isOver = false;
  const loads = [load(caller, () => isOver), load(other, () => isOver)];
  const slot = slotOf(caller);
  const refused: (string | undefined)[] = [];
  // While a slot is on its way, half of its keys are on one server and half on the other.
  const refuse = async () => {
    const strict = { ...limited, limits: { ...limited.limits, perDay: 1 } };
    for (let sent = 0; sent < 5; sent++) {
      refused.push((await nodes[sent % NODES]!.admit(strict, 1)).refusal?.by);
    }
  };
  const servers = [masters[0]!, masters[1]!, masters[2]!, masters[0]!];
  for (let step = 1; step < servers.length; step++) {
    await moveSlot(slot, { from: servers[step - 1]!, to: servers[step]! }, refuse);
  }
  isOver = true;
  const [admitted, others] = await Promise.all(loads);
  expect(admitted).toBeGreaterThan(0);
  for (const node of nodes) {
    expect(await usedOf(node, caller)).toBe(admitted);
    expect(await usedOf(node, other)).toBe(others);
  }
  const given = rules.refusalsToBan;
  expect(refused.slice(0, given)).toEqual(Array(Math.min(given, refused.length)).fill('day'));
  expect(new Set(refused.slice(given))).toEqual(new Set(refused.length > given ? ['ban'] : []));
  expect(failures).toEqual([]);
});

test('a failover of one master changes nothing for workspaces on the others', async () => {
  await openNodes();
  const lost = callerOn(2, 50);
  const kept = callerOn(1, 1_000_000);
  const before = 20;
  for (let sent = 0; sent < before; sent++) await nodes[sent % NODES]!.admit(lost, 1);
  // The replica has what it got so far; the nodes know the rest.
  for (const node of nodes) expect(await usedOf(node, lost)).toBe(before);
  let isOver = false;
  const loading = load(kept, () => isOver);
  const replica = cluster.replicas[2]!;
  await cluster.masters[2]!.kill();
  for (const node of nodes) await isShared(node, false);
  let alone = 0;
  for (let sent = 0; sent < 3 * 60; sent++) {
    if (!(await nodes[sent % NODES]!.admit(lost, 1)).refusal) alone += 1;
  }
  // Alone, each node admits what is left of the limit by the counts that it knows.
  expect(alone).toBe(NODES * (50 - before));
  await promote(replica);
  for (const node of nodes) await isShared(node);
  isOver = true;
  const admitted = await loading;
  expect(admitted).toBeGreaterThan(0);
  for (const node of nodes) {
    expect(await usedOf(node, kept)).toBe(admitted);
    expect((await node.admit(lost, 1)).refusal?.by).toMatch(/day|ban/);
  }
  // Each node has noticed it once.
  expect(failures).toHaveLength(NODES);
});
