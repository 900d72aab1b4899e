// Breaks what several nodes depend on, while they have load. The nodes must keep running, answer every request, with
// nothing worse than 503, lose nothing that they acknowledged, and recover.

import { setTimeout as pause } from 'node:timers/promises';
import type { Faults } from './checks/checkers.ts';
import type { Reply } from './client.ts';
import { inspect } from './crash.ts';
import { History } from './history.ts';
import { newRandom, type Random } from './random.ts';
import { Service } from './service.ts';
import { newStore, type Store } from './store.ts';
import { Workload } from './workload.ts';

export interface LoadOptions {
  environment: Record<string, string>;
  nodes: number;
  writers: number;
  breaks: readonly Break[];
  /** How fast answers and recovery must be. Without it, time is measured but not judged. */
  limits?: { answerMs: number; backMs: number };
  onBreak?: (done: number) => void;
}

/** Breaks one thing, and ends when all nodes work again. */
export type Break = (run: LoadRun) => Promise<void>;

export interface LoadRun {
  services: readonly Service[];
  store: Store;
  report: LoadReport;
  random: Random;
}

export interface LoadReport {
  acknowledged: number;
  refused: number;
  /** Answers of 503 with Retry-After. */
  unavailable: number;
  slowestMs: number;
  /** From the return of what was broken until every node served, or shared its limits, again. */
  backMs: number[];
  faults: Faults;
}

/** A node that has not recovered by then never will. */
const BACK_GIVE_UP_MS = 60_000;
/** A slow machine gets the time for this many writes before each break. */
const ACKNOWLEDGED_PER_BREAK = 10;

export async function breakUnderLoad(options: LoadOptions): Promise<LoadReport> {
  const { environment, nodes, writers, breaks, limits } = options;
  const store = await newStore(environment);
  const services = await Promise.all(Array.from({ length: nodes }, () => Service.start(store)));
  const report: LoadReport = {
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
  const run: LoadRun = { services, store, report, random: newRandom() };
  const workload = new Workload(history, store.apiKey, nextPort, writers, (reply, ms) =>
    judge(reply, ms, report, limits),
  );
  try {
    await workload.open();
    workload.start();
    for (const [at, breakOne] of breaks.entries()) {
      const before = history.count('ok');
      await pause(100 + run.random() * 200);
      const faults = await workload.acknowledged(ACKNOWLEDGED_PER_BREAK, { before, services });
      report.faults.push(...faults);
      if (faults.length > 0 || !services.every(({ isRunning }) => isRunning)) break;
      await breakOne(run);
      options.onBreak?.(at + 1);
    }
    await workload.stop();
    judgeRecovery(report, limits);
    for (const { isRunning, output } of services) {
      if (!isRunning) report.faults.push(`a node has ended: ${output}`);
    }
    const running = services.find(({ isRunning }) => isRunning);
    if (running) report.faults.push(...(await inspect(store, running, workload)));
  } finally {
    await workload.stop();
    await Promise.all(services.map((service) => service.end('SIGINT')));
    store.remove();
  }
  report.acknowledged = history.count('ok');
  report.refused = history.count('failed');
  return report;
}

/** Waits for every node that still runs, and reports how long each took. */
export async function whenBack(
  { services, report }: LoadRun,
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

function judge(reply: Reply, ms: number, report: LoadReport, limits: LoadOptions['limits']): void {
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

function judgeRecovery({ backMs, faults }: LoadReport, limits: LoadOptions['limits']) {
  const slowest = Math.round(Math.max(...backMs));
  if (slowest >= (limits?.backMs ?? BACK_GIVE_UP_MS)) {
    faults.push(`a node was back after ${slowest} ms`);
  }
}
