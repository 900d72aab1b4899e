// Nodes on a primary with a synchronous standby, and behind PgBouncer, under load. Primaries are killed and replaced;
// poolers are restarted.

import { setTimeout as pause } from 'node:timers/promises';
import { onDatabase, startPostgres, type TestServer } from '../../server/test/support/servers.ts';
import {
  type Pair,
  promote,
  settingsBehind,
  startPair,
  startPgBouncer,
  startStandby,
  stopPair,
} from '../../server/test/support/topologies.ts';
import { Client } from '../client.ts';
import { breakUnderLoad, type LoadReport, type LoadRun, whenBack } from '../under-load.ts';

export interface TopologyOptions {
  /** Puts a PgBouncer in front of each server. */
  pooling?: 'session' | 'transaction';
  nodes: number;
  rounds: number;
  writers: number;
  /** How fast writes must go on after a promotion or a restart. Without it, time is measured but not judged. */
  backMs?: number;
  onRound?: (done: number) => void;
}

/** An answer may wait for the commit that is looked up after a failover. */
const ANSWER_MS = 5_000;
/** How long an old primary runs beside the new one, by mistake. */
const SPLIT_MS = 500;
const AWAY_MAX_MS = 400;

/**
 * In each round the standby stops replaying, so that what is read from it is old; then the primary is killed and the
 * standby promoted. The old primary comes back as a second one by mistake, and at last as the standby of the new one.
 */
export async function failOver(options: TopologyOptions): Promise<LoadReport> {
  const { pooling } = options;
  await using cleanUp = new AsyncDisposableStack();
  const pair = await startPair();
  cleanUp.defer(() => stopPair(pair));
  const servers = [pair.standby, pair.primary];
  const poolers = pooling ? await Promise.all(servers.map(({ url }) => pooler(url, pooling))) : [];
  for (const { stop } of poolers) cleanUp.defer(stop);
  const hosts = (pooling ? poolers : servers).map(({ port }) => `127.0.0.1:${port}`);
  const url = `postgres://postgres@${hosts.join(',')}/postgres`;
  await replicateSynchronously(pair.primary);
  return await breakUnderLoad({
    environment: pooling ? settingsBehind(url, pooling) : { PETSTORE_DATABASE_URL: url },
    nodes: options.nodes,
    writers: options.writers,
    breaks: Array.from({ length: options.rounds }, () => (run) => replacePrimary(pair, run)),
    ...limitsOf(options),
    ...(options.onRound && { onBreak: options.onRound }),
  });
}

/** By default PgBouncer lets its clients wait for 15 s for a server that is back already. */
function pooler(url: string, pooling: 'session' | 'transaction'): Promise<TestServer> {
  return startPgBouncer(url, pooling, ['server_login_retry = 1']);
}

async function replacePrimary(pair: Pair, run: LoadRun): Promise<void> {
  const { primary: old, standby: promoted } = pair;
  await pauseReplay(promoted);
  await pause(run.random() * AWAY_MAX_MS);
  await old.kill();
  await promote(promoted);
  await whenBack(run, ({ port }) => writes(port, run.store.apiKey));
  await old.restart();
  const before = await ask(old, 'SELECT count(*) FROM movements');
  await pause(SPLIT_MS);
  const after = await ask(old, 'SELECT count(*) FROM movements');
  if (before !== after) run.report.faults.push(`an old primary got ${after - before} movements`);
  await old.stop();
  Object.assign(pair, { primary: promoted, standby: await startStandby(promoted, old.port) });
  await replicateSynchronously(promoted);
}

/** What the standby replays may cancel this statement. */
async function pauseReplay(standby: TestServer): Promise<void> {
  const isPaused = () => ask(standby, 'SELECT pg_is_wal_replay_paused()::int').catch(() => 0);
  while ((await isPaused()) !== 1)
    await ask(standby, 'SELECT pg_wal_replay_pause()').catch(() => 0);
}

/** A pooler in front of one server is killed and started again in each round. */
export async function restartPooler(
  mode: 'session' | 'transaction',
  options: TopologyOptions,
): Promise<LoadReport> {
  const postgres = await startPostgres();
  const bouncer = await startPgBouncer(postgres.url, mode);
  const restart = async (run: LoadRun) => {
    await bouncer.kill();
    await pause(run.random() * AWAY_MAX_MS);
    await bouncer.restart();
    await whenBack(run, ({ port }) => writes(port, run.store.apiKey));
  };
  try {
    return await breakUnderLoad({
      environment: settingsBehind(bouncer.url, mode),
      nodes: options.nodes,
      writers: options.writers,
      breaks: Array.from({ length: options.rounds }, () => restart),
      ...limitsOf(options),
      ...(options.onRound && { onBreak: options.onRound }),
    });
  } finally {
    await bouncer.stop();
    await postgres.stop();
  }
}

function limitsOf({ backMs }: TopologyOptions) {
  return backMs === undefined ? {} : { limits: { answerMs: ANSWER_MS, backMs } };
}

let categories = 0;

/** Whether this node can write. */
async function writes(port: number, apiKey: string): Promise<boolean> {
  categories += 1;
  const client = new Client(port, apiKey);
  const body = { name: `Category ${categories}` };
  const reply = await client.send({ method: 'POST', path: '/v1/categories', body });
  client.close();
  return reply.kind === 'answer' && reply.status === 201;
}

/** From now on a commit is acknowledged when the standby has it too. */
async function replicateSynchronously(primary: TestServer): Promise<void> {
  await ask(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await ask(primary, 'SELECT pg_reload_conf()');
  const isSynchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
  while ((await ask(primary, isSynchronous)) !== 1) await pause(20);
}

/** The first value that a statement returns, as a number. */
function ask({ url }: TestServer, text: string): Promise<number> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return Number((rows as unknown[][])[0]?.[0]);
  });
}
