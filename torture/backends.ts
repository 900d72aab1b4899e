// Stops PostgreSQL and Redis under several nodes with load, and starts them again.

import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startRedis, type TestServer } from '../server/test/support/servers.ts';
import { Client } from './client.ts';
import {
  type Break,
  breakUnderLoad,
  type LoadReport,
  type LoadRun,
  whenBack,
} from './under-load.ts';

export interface BackendsOptions {
  nodes: number;
  postgresRestarts: number;
  redisKills: number;
  writers: number;
  /** How fast answers and recovery must be. Without it, time is measured but not judged. */
  limits?: { answerMs: number; backMs: number };
  onBreak?: (done: number) => void;
}

export interface BackendsReport extends LoadReport {
  postgresRestarts: number;
  redisKills: number;
}

const AWAY_MAX_MS = 400;
/** How PostgreSQL is stopped: fast, immediately, and by force. */
const STOPS = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;

export async function breakBackends(options: BackendsOptions): Promise<BackendsReport> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const done = { postgresRestarts: 0, redisKills: 0 };
  const restart = async (run: LoadRun) => {
    await restartPostgres(postgres, STOPS[done.postgresRestarts % STOPS.length]!, run);
    done.postgresRestarts += 1;
  };
  const kill = async (run: LoadRun) => {
    await killRedis(redis, run);
    done.redisKills += 1;
  };
  try {
    const report = await breakUnderLoad({
      ...options,
      environment: { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url },
      breaks: inTurn(options, restart, kill),
    });
    return { ...report, ...done };
  } finally {
    await Promise.all([postgres.stop(), redis.stop()]);
  }
}

/** Spread over the whole run, each as often as asked. */
function inTurn(
  { postgresRestarts, redisKills }: BackendsOptions,
  restart: Break,
  kill: Break,
): Break[] {
  const total = postgresRestarts + redisKills;
  let restarts = 0;
  return Array.from({ length: total }, (_, at) => {
    const isPostgres = restarts < Math.round(((at + 1) * postgresRestarts) / total);
    if (isPostgres) restarts += 1;
    return isPostgres ? restart : kill;
  });
}

async function restartPostgres(server: TestServer, signal: NodeJS.Signals, run: LoadRun) {
  await server.kill(signal);
  await pause(run.random() * AWAY_MAX_MS);
  await server.restart();
  await whenBack(run, async ({ port }) => {
    const client = new Client(port, run.store.apiKey);
    const reply = await client.send({ method: 'GET', path: '/v1/categories?limit=1' });
    client.close();
    return reply.kind === 'answer' && reply.status === 200;
  });
}

async function killRedis(server: TestServer, run: LoadRun): Promise<void> {
  await server.kill('SIGKILL');
  await pause(run.random() * AWAY_MAX_MS);
  await server.restart();
  await whenBack(run, async ({ port }) => {
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    return /^petstore_limiter_shared 1$/m.test(metrics);
  });
}
