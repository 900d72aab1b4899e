// Stops PostgreSQL and Redis under several nodes with load, and starts them again. The nodes must keep running, answer
// every request, with nothing worse than 503, lose nothing that they acknowledged, and recover.

import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startRedis, type TestServer } from '../server/test/support/servers.ts';
import type { Faults } from './checks/checkers.ts';
import { Client, type Reply } from './client.ts';
import { inspect } from './crash.ts';
import { History } from './history.ts';
import { newRandom, type Random } from './random.ts';
import { Service } from './service.ts';
import { newStore } from './store.ts';
import { Workload } from './workload.ts';

export interface BackendsOptions {
  nodes: number;
  postgresRestarts: number;
  redisKills: number;
  writers: number;
  /** How fast answers and recovery must be. Without it, time is measured but not judged. */
  limits?: { answerMs: number; backMs: number };
  onBreak?: (done: number) => void;
}

export interface BackendsReport {
  postgresRestarts: number;
  redisKills: number;
  acknowledged: number;
  refused: number;
  /** Answers of 503 with Retry-After. */
  unavailable: number;
  slowestMs: number;
  /** From the server's return until every node served, or shared its limits, again. */
  backMs: number[];
  faults: Faults;
}

/** A node that has not recovered by then never will. */
const BACK_GIVE_UP_MS = 60_000;
const AWAY_MAX_MS = 400;
/** A slow machine gets the time for this many writes before each break. */
const ACKNOWLEDGED_PER_BREAK = 10;
/** How PostgreSQL is stopped: fast, immediately, and by force. */
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
  const random = newRandom();
  const workload = new Workload(history, store.apiKey, nextPort, options.writers, (reply, ms) =>
    judge(reply, ms, report, options.limits),
  );
  try {
    await workload.open();
    workload.start();
    for (const breakOne of inTurn(options)) {
      const before = history.count('ok');
      await pause(100 + random() * 200);
      const faults = await workload.acknowledged(ACKNOWLEDGED_PER_BREAK, { before, services });
      report.faults.push(...faults);
      if (faults.length > 0 || !services.every(({ isRunning }) => isRunning)) break;
      await (breakOne === 'postgres'
        ? restartPostgres(postgres, { services, apiKey: store.apiKey, report, random })
        : killRedis(redis, { services, report, random }));
      options.onBreak?.(report.postgresRestarts + report.redisKills);
    }
    await workload.stop();
    judgeRecovery(report, options.limits);
    for (const { isRunning, output } of services) {
      if (!isRunning) report.faults.push(`a node has ended: ${output}`);
    }
    const running = services.find(({ isRunning }) => isRunning);
    if (running) report.faults.push(...(await inspect(store, running, workload)));
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

function judge(
  reply: Reply,
  ms: number,
  report: BackendsReport,
  limits: BackendsOptions['limits'],
): void {
  report.slowestMs = Math.max(report.slowestMs, ms);
  if (limits && ms > limits.answerMs) report.faults.push(`an answer took ${Math.round(ms)} ms`);
  if (reply.kind !== 'answer') {
    report.faults.push(`a request was not answered: ${JSON.stringify(reply)}`);
  } else if (reply.status === 503 && reply.headers.has('retry-after')) {
    report.unavailable += 1;
  } else if (reply.status >= 500) {
    report.faults.push(`answered ${reply.status}: ${reply.text}`);
  }
}

function judgeRecovery({ backMs, faults }: BackendsReport, limits: BackendsOptions['limits']) {
  const slowest = Math.round(Math.max(...backMs));
  if (slowest >= (limits?.backMs ?? BACK_GIVE_UP_MS)) {
    faults.push(`a node was back after ${slowest} ms`);
  }
}

interface Break {
  services: readonly Service[];
  report: BackendsReport;
  random: Random;
}

async function restartPostgres(
  server: TestServer,
  { services, apiKey, report, random }: Break & { apiKey: string },
): Promise<void> {
  await server.kill(STOPS[report.postgresRestarts % STOPS.length]);
  await pause(random() * AWAY_MAX_MS);
  await server.restart();
  report.postgresRestarts += 1;
  await eachBack(services, report, async ({ port }) => {
    const client = new Client(port, apiKey);
    const reply = await client.send({ method: 'GET', path: '/v1/categories?limit=1' });
    client.close();
    return reply.kind === 'answer' && reply.status === 200;
  });
}

async function killRedis(server: TestServer, { services, report, random }: Break): Promise<void> {
  await server.kill('SIGKILL');
  await pause(random() * AWAY_MAX_MS);
  await server.restart();
  report.redisKills += 1;
  await eachBack(services, report, async ({ port }) => {
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    return /^petstore_limiter_shared 1$/m.test(metrics);
  });
}

async function eachBack(
  services: readonly Service[],
  report: BackendsReport,
  isBack: (service: Service) => Promise<boolean>,
): Promise<void> {
  const returnedAt = performance.now();
  const waitFor = async (service: Service) => {
    while (service.isRunning && !(await isBack(service))) {
      if (performance.now() - returnedAt > BACK_GIVE_UP_MS) break;
      await pause(10);
    }
    report.backMs.push(performance.now() - returnedAt);
  };
  await Promise.all(services.map(waitFor));
}
