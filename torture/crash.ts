// Kills the service under writes, starts it again, and compares the store with what the service has acknowledged. Some
// restarts are killed too, while the service recovers, up to three times in a row.
//
// A killed process keeps everything that it has passed to the operating system. So this cannot distinguish a flushed
// commit from one in the page cache; survival/durable.test.ts checks the order of the system calls.

import { setTimeout as pause } from 'node:timers/promises';
import { checkRepeats } from './checks/check-repeats.ts';
import { check, type Faults } from './checks/checkers.ts';
import { settle } from './checks/settle.ts';
import { Client } from './client.ts';
import { History } from './history.ts';
import { newRandom, type Random } from './random.ts';
import { killWhileStarting, Service } from './service.ts';
import { faultsInDatabase, readState } from './state.ts';
import type { Store } from './store.ts';
import { Workload } from './workload.ts';

export interface CrashOptions {
  /** Creates an empty store. Each is used for a few cycles only, so that reading it back stays short. */
  newStore: () => Promise<Store>;
  cycles: number;
  writers: number;
  /** Breaks something else at the moment of a kill, such as the database server. */
  alsoBreak?: () => Promise<void>;
  onCycle?: (done: number, report: CrashReport) => void;
}

export interface CrashReport {
  cycles: number;
  kills: number;
  acknowledged: number;
  refused: number;
  /** Writes whose answer was lost and that could not be retried. */
  unknown: number;
  startMs: number[];
  /** The folder of the store in which a fault was found. */
  keptIn?: string;
  faults: Faults;
}

// Each crash may forfeit a twentieth of the day's requests, so a store does not last for many more.
export const CYCLES_PER_STORE = 15;
const REPEATS_MAX = 200;
/** A slow machine gets the time for this many writes before each kill. */
export const ACKNOWLEDGED_PER_CYCLE = 10;
/** How many recoveries in a row are killed, in every fourth cycle. */
const DEPTHS = [1, 3, 2];

export async function crash(options: CrashOptions): Promise<CrashReport> {
  const report: CrashReport = {
    cycles: 0,
    kills: 0,
    acknowledged: 0,
    refused: 0,
    unknown: 0,
    startMs: [],
    faults: [],
  };
  while (report.cycles < options.cycles && report.faults.length === 0) {
    const store = await options.newStore();
    try {
      await crashStore(store, options, report);
    } finally {
      if (report.faults.length === 0) store.remove();
      else report.keptIn = store.keep();
    }
  }
  return report;
}

async function crashStore(store: Store, options: CrashOptions, report: CrashReport): Promise<void> {
  const history = new History();
  const random = newRandom();
  let service = await Service.start(store);
  try {
    const workload = new Workload(history, store.apiKey, () => service.port, options.writers);
    await workload.open();
    const last = Math.min(options.cycles, report.cycles + CYCLES_PER_STORE);
    while (report.cycles < last && report.faults.length === 0) {
      report.faults.push(...(await killUnderLoad(service, workload, { ...options, random })));
      if (report.faults.length > 0) break;
      await killRecoveries(store, report, random);
      service = await Service.start(store);
      report.startMs.push(service.startMs);
      report.faults.push(...(await inspect(store, service, workload)));
      report.cycles += 1;
      report.kills += 1;
      options.onCycle?.(report.cycles, report);
    }
  } finally {
    await service.end('SIGINT');
  }
  report.acknowledged += history.count('ok');
  report.refused += history.count('failed');
  report.unknown += history.count('unknown');
}

async function killUnderLoad(
  service: Service,
  workload: Workload,
  { alsoBreak, random }: Pick<CrashOptions, 'alsoBreak'> & { random: Random },
): Promise<Faults> {
  const before = workload.history.count('ok');
  workload.start();
  await pause(20 + random() * 480);
  const services = [service];
  const faults = await workload.acknowledged(ACKNOWLEDGED_PER_CYCLE, { before, services });
  const breaking = alsoBreak?.();
  faults.push(...(await service.kill()));
  await workload.stop();
  await breaking;
  return faults;
}

/** In some cycles the service is killed again before it is ready. */
async function killRecoveries(store: Store, report: CrashReport, random: Random): Promise<void> {
  if (report.cycles % 4 !== 1) return;
  const depth = DEPTHS[Math.floor(report.cycles / 4) % DEPTHS.length]!;
  for (let time = 0; time < depth; time += 1) {
    await killWhileStarting(store, random() * 50);
    report.kills += 1;
  }
}

/** Checks the store twice: as it is after the restart, and after all requests with a key were repeated. */
export async function inspect(store: Store, service: Service, workload: Workload): Promise<Faults> {
  const { history } = workload;
  const client = new Client(service.port, store.apiKey);
  try {
    const found = await readState(client);
    const faults = [...check(history, found), ...(await faultsInDatabase(store))];
    settle(history, found);
    await workload.retry();
    const open = history
      .unsettled()
      .map(({ kind, label }) => `${kind} ${label}: cannot be settled`);
    faults.push(...open);
    faults.push(...(await checkRepeats(history, client, REPEATS_MAX)));
    faults.push(...check(history, await readState(client)));
    return faults;
  } finally {
    client.close();
  }
}
