// Three limiters on a real Cluster, and on a real master with Sentinels. Masters are killed and replaced by election,
// and slots move, while workspaces on every master are counted.

import type { Caller } from '../../server/src/domain/key.ts';
import { hashSlot } from '../../server/src/limits/valkey/cluster.ts';
import type { ValkeyLimiter } from '../../server/src/limits/valkey/valkey-limiter.ts';
import { LimitDatabase } from '../../server/test/limits/limit-database.ts';
import { isShared, openNode, workspaceIds } from '../../server/test/limits/valkey/valkey-server.ts';
import {
  type ClusterServer,
  moveSlot,
  startCluster,
  startSentinels,
  until,
} from '../../server/test/support/redis-topologies.ts';
import { onRedis, type TestServer } from '../../server/test/support/servers.ts';

export interface ValkeyReport {
  failovers: number;
  slotsMoved: number;
  counted: number;
  /** From the promotion of a replica until all limiters share their counts again. */
  sharedAfterMs: number[];
  faults: string[];
}

const NODES = 3;
const LIMIT = 100;
const TIMEOUT_MS = 2_000;
const nextWorkspace = workspaceIds();

export async function breakCluster(rounds: number, onRound: (done: number) => void) {
  const report = newReport();
  const cluster = await startCluster({ timeoutMs: TIMEOUT_MS });
  const nodes = await openNodes(cluster.url);
  try {
    for (let round = 1; round <= rounds; round++) {
      const servers = [...cluster.masters, ...cluster.replicas];
      const masters = await mastersOf(servers);
      const victim = masters[round % masters.length]!;
      const [first, second] = masters.filter((master) => master !== victim) as [
        ClusterServer,
        ClusterServer,
      ];
      const moving = await newCaller(first, 1_000_000);
      const resting = await newCaller(second, 1_000_000);
      const lost = await newCaller(victim, LIMIT);
      let isOver = false;
      const loads = [moving, resting].map((caller) => countUntil(nodes, caller, () => isOver));
      await victim.kill();
      const sharing = sharedAfter(nodes, async () => (await mastersOf(servers)).length === 3);
      const slot = slotOf(moving);
      await moveSlot(slot, { from: first, to: second });
      await moveSlot(slot, { from: second, to: first });
      report.slotsMoved += 2;
      await judgeLost({ nodes, caller: lost, report });
      report.sharedAfterMs.push(await sharing);
      isOver = true;
      const admitted = await Promise.all(loads);
      for (const [index, caller] of [moving, resting].entries()) {
        await judgeCount({ node: nodes[0]!, caller, admitted: admitted[index]!, report });
      }
      await victim.restart();
      await until(async () => (await mastersOf(servers)).length === 3);
      report.failovers += 1;
      onRound(round);
    }
    return report;
  } finally {
    for (const node of nodes) await node.close();
    await cluster.stop();
  }
}

export async function breakSentinels(rounds: number, onRound: (done: number) => void) {
  const report = newReport();
  const sentinels = await startSentinels({ timeoutMs: TIMEOUT_MS });
  const nodes = await openNodes(sentinels.url);
  try {
    for (let round = 1; round <= rounds; round++) {
      const old = await sentinels.master();
      await old.kill();
      const promoted = sentinels.servers.filter((server) => server !== old);
      const sharing = sharedAfter(nodes, async () => (await mastersOf(promoted)).length === 1);
      await judgeLost({ nodes, caller: callerOf(nextWorkspace(), LIMIT), report });
      report.sharedAfterMs.push(await sharing);
      await until(async () => (await sentinels.master()) !== old);
      await old.restart();
      // A Sentinel closes the connections of a server that it makes a replica.
      await until(async () =>
        /master_link_status:up/.test(
          String(await onRedis(old.url, 'INFO', 'replication').catch(() => '')),
        ),
      );
      report.failovers += 1;
      onRound(round);
    }
    return report;
  } finally {
    for (const node of nodes) await node.close();
    await sentinels.stop();
  }
}

/** Waits for the promotion, and until all limiters share their counts again. Returns the time between the two. */
async function sharedAfter(nodes: readonly ValkeyLimiter[], isPromoted: () => Promise<boolean>) {
  await until(isPromoted);
  const promotedAt = performance.now();
  for (const node of nodes) await isShared(node);
  return performance.now() - promotedAt;
}

/** Without their master, nodes admit at most the limit each, and nothing more once they share again. */
async function judgeLost({
  nodes,
  caller,
  report,
}: {
  nodes: ValkeyLimiter[];
  caller: Caller;
  report: ValkeyReport;
}) {
  let admitted = 0;
  for (let sent = 0; sent < 2 * NODES * LIMIT; sent++) {
    if (!(await nodes[sent % NODES]!.admit(caller, 1)).refusal) admitted += 1;
  }
  if (admitted < LIMIT || admitted > NODES * LIMIT) {
    report.faults.push(
      `${admitted} requests admitted without a master: limit ${LIMIT}, ${NODES} nodes`,
    );
  }
}

async function judgeCount({
  node,
  caller,
  admitted,
  report,
}: {
  node: ValkeyLimiter;
  caller: Caller;
  admitted: number;
  report: ValkeyReport;
}) {
  const used = caller.limits.perDay - (await node.peek(caller)).windows[1]!.remaining;
  report.counted += used;
  if (used !== admitted)
    report.faults.push(`${admitted} requests on another master count as ${used}`);
}

async function countUntil(nodes: readonly ValkeyLimiter[], caller: Caller, isOver: () => boolean) {
  let admitted = 0;
  for (let sent = 0; !isOver(); sent++) {
    if (!(await nodes[sent % NODES]!.admit(caller, 1)).refusal) admitted += 1;
  }
  return admitted;
}

async function openNodes(url: string): Promise<ValkeyLimiter[]> {
  const db = new LimitDatabase();
  const opening = Array.from({ length: NODES }, () => openNode({ url, store: db.connect() }));
  return (await Promise.all(opening)).map(({ limiter }) => limiter);
}

async function mastersOf<S extends TestServer>(servers: readonly S[]): Promise<S[]> {
  const roles = await Promise.all(
    servers.map(async ({ url }) =>
      String(await onRedis(url, 'INFO', 'replication').catch(() => '')),
    ),
  );
  return servers.filter((_, index) => roles[index]!.includes('role:master'));
}

/** A workspace in a slot of this master. */
async function newCaller({ url, id }: ClusterServer, perDay: number): Promise<Caller> {
  const lines = String(await onRedis(url, 'CLUSTER', 'NODES')).split('\n');
  const ranges = lines
    .find((line) => line.startsWith(id))!
    .split(' ')
    .slice(8);
  for (;;) {
    const caller = callerOf(nextWorkspace(), perDay);
    const slot = slotOf(caller);
    const has = (range: string) => {
      const [first, last = first] = range.split('-').map(Number);
      return slot >= first! && slot <= last!;
    };
    if (ranges.some(has)) return caller;
  }
}

function callerOf(workspaceId: number, perDay: number): Caller {
  const limits = { perMinute: 1_000_000, perDay };
  return { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
}

function slotOf({ workspaceId }: Caller): number {
  return hashSlot(`petstore:{w:${workspaceId}}`);
}

function newReport(): ValkeyReport {
  return { failovers: 0, slotsMoved: 0, counted: 0, sharedAfterMs: [], faults: [] };
}
