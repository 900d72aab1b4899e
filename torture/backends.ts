// Takes PostgreSQL and Redis away from several nodes under load and gives them back: the nodes live, nobody waits
// for long or is told anything but to come again, nothing acknowledged is lost, and all is well within a second.

import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startRedis, type TestServer } from '../server/test/support/servers.ts';
import type { Faults } from './checkers.ts';
import { Client, type Reply } from './client.ts';
import { inspect } from './crash.ts';
import { History } from './history.ts';
import { Service } from './service.ts';
import { newStore } from './store.ts';
import { Workload } from './workload.ts';

export interface BackendsOptions {
  nodes: number;
  postgresRestarts: number;
  redisKills: number;
  writers: number;
  onBreak?: (done: number) => void;
}

export interface BackendsReport {
  postgresRestarts: number;
  redisKills: number;
  acknowledged: number;
  refused: number;
  /** Answers of 503 that said when to come again. */
  unavailable: number;
  slowestMs: number;
  /** From the server's return until every node served, or shared its limits, again. */
  backMs: number[];
  faults: Faults;
}

const ANSWER_MAX_MS = 2_000;
const BACK_MAX_MS = 1_000;
const AWAY_MAX_MS = 400;
/** How a PostgreSQL is stopped: waiting for nobody, at once, and by force. */
const STOPS = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;

export async function breakBackends(options: BackendsOptions): Promise<BackendsReport> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const urls = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url };
  const store = await newStore(urls);
  const services = await Promise.all(
    Array.from({ length: options.nodes }, () => Service.start(store)),
  );
  const report: BackendsReport = {
    postgresRestarts: 0,
    redisKills: 0,
    acknowledged: 0,
    refused: 0,
    unavailable: 0,
    slowestMs: 0,
    backMs: [],
    faults: [],
  };
  let turn = 0;
  const nextPort = () => services[turn++ % services.length]!.port;
  const history = new History();
  const workload = new Workload(history, store.apiKey, nextPort, options.writers, (reply, ms) =>
    judge(reply, ms, report),
  );
  try {
    await workload.open();
    workload.start();
    for (const breakOne of inTurn(options)) {
      await pause(100 + Math.random() * 200);
      await (breakOne === 'postgres'
        ? restartPostgres(postgres, services, store.apiKey, report)
        : killRedis(redis, services, report));
      options.onBreak?.(report.postgresRestarts + report.redisKills);
    }
    await workload.stop();
    for (const { isRunning, output } of services) {
      if (!isRunning) report.faults.push(`a node has ended: ${output}`);
    }
    report.faults.push(...(await inspect(store, services[0]!, workload)));
  } finally {
    await workload.stop();
    await Promise.all(services.map((service) => service.end('SIGINT')));
    await Promise.all([postgres.stop(), redis.stop()]);
    store.remove();
  }
  report.acknowledged = history.count('ok');
  report.refused = history.count('failed');
  return report;
}

/** Spread over the whole run, each as often as asked. */
function* inTurn({ postgresRestarts, redisKills }: BackendsOptions) {
  const total = postgresRestarts + redisKills;
  for (let at = 1, restarts = 0; at <= total; at++) {
    const isPostgres = restarts < Math.round((at * postgresRestarts) / total);
    if (isPostgres) restarts += 1;
    yield isPostgres ? 'postgres' : 'redis';
  }
}

function judge(reply: Reply, ms: number, report: BackendsReport): void {
  report.slowestMs = Math.max(report.slowestMs, ms);
  if (ms > ANSWER_MAX_MS) report.faults.push(`an answer took ${Math.round(ms)} ms`);
  if (reply.kind !== 'answer') {
    report.faults.push(`a request was not answered: ${JSON.stringify(reply)}`);
  } else if (reply.status === 503 && reply.headers.has('retry-after')) {
    report.unavailable += 1;
  } else if (reply.status >= 500) {
    report.faults.push(`answered ${reply.status}: ${reply.text}`);
  }
}

async function restartPostgres(
  server: TestServer,
  services: readonly Service[],
  apiKey: string,
  report: BackendsReport,
): Promise<void> {
  await server.kill(STOPS[report.postgresRestarts % STOPS.length]);
  await pause(Math.random() * AWAY_MAX_MS);
  await server.restart();
  report.postgresRestarts += 1;
  await eachBack(services, report, async ({ port }) => {
    const client = new Client(port, apiKey);
    const reply = await client.send({ method: 'GET', path: '/v1/categories?limit=1' });
    client.close();
    return reply.kind === 'answer' && reply.status === 200;
  });
}

async function killRedis(
  server: TestServer,
  services: readonly Service[],
  report: BackendsReport,
): Promise<void> {
  await server.kill('SIGKILL');
  await pause(Math.random() * AWAY_MAX_MS);
  await server.restart();
  report.redisKills += 1;
  await eachBack(services, report, async ({ port }) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    return /^petstore_limiter_shared 1$/m.test(await answer.text());
  });
}

async function eachBack(
  services: readonly Service[],
  report: BackendsReport,
  isBack: (service: Service) => Promise<boolean>,
): Promise<void> {
  const returnedAt = performance.now();
  const waitFor = async (service: Service) => {
    while (!(await isBack(service)) && performance.now() - returnedAt < 10 * BACK_MAX_MS) {
      await pause(10);
    }
    const ms = performance.now() - returnedAt;
    report.backMs.push(ms);
    if (ms > BACK_MAX_MS) report.faults.push(`a node was back after ${Math.round(ms)} ms`);
  };
  await Promise.all(services.map(waitFor));
}
