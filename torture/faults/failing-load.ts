// Makes calls on the database's files fail under many writers, so that group commits and checkpoints fail too. All that
// was acknowledged must still be there.

import { setTimeout as pause } from 'node:timers/promises';
import type { Faults } from '../checks/checkers.ts';
import { inspect } from '../crash.ts';
import { History } from '../history.ts';
import { newRandom, type Random } from '../random.ts';
import { Service } from '../service.ts';
import type { Store } from '../store.ts';
import { Workload } from '../workload.ts';
import type { CallsReport } from './failing-calls.ts';
import { type Fault, IoFaults } from './io-faults.ts';

const WRITERS = 16;
/** Enough calls for several checkpoints. */
const CALLS_MAX = 4_000;
const FLUSHES_MAX = 30;
const LOAD_MS = 300;
const FIRED_MAX_MS = 30_000;
/** A service that has not ended by then hangs, even on a slow machine. */
const EXIT_MS = 120_000;

export async function failUnderLoad(
  store: Store,
  rounds: number,
  onRound: (done: number) => void = () => undefined,
): Promise<CallsReport> {
  const random = newRandom();
  const report: CallsReport = { failed: 0, exits: 0, faults: [] };
  const io = new IoFaults(store.folder);
  const environment = { ...store.environment, ...io.environment };
  let service = await Service.start({ environment });
  try {
    const workload = new Workload(new History(), store.apiKey, () => service.port, WRITERS);
    await workload.open();
    for (let round = 0; round < rounds && report.faults.length === 0; round += 1) {
      workload.start();
      io.arm(faultOf(round, random));
      await loadUntilFired(io);
      const { fired } = io;
      report.failed += fired;
      if (fired === 0) report.faults.push(`round ${round}: no call was made to fail`);
      io.disarm();
      await pause(LOAD_MS / 3);
      await workload.stop();
      if (await isWriting(service, store)) {
        // Every second time a crash follows, so that only the files count.
        if (round % 2 === 0) await service.end('SIGKILL');
      } else {
        report.exits += 1;
        report.faults.push(...(await faultsOfExit(service)));
      }
      if (!service.isRunning) service = await Service.start({ environment });
      report.faults.push(...(await inspect(store, service, workload)));
      onRound(round + 1);
    }
  } finally {
    await service.end('SIGINT');
    io.remove();
  }
  return report;
}

/** A slow machine gets more time for the calls before the one that fails. */
async function loadUntilFired(io: IoFaults): Promise<void> {
  const startedAt = performance.now();
  await pause(LOAD_MS);
  while (io.fired === 0 && performance.now() - startedAt < FIRED_MAX_MS) await pause(20);
}

function faultOf(round: number, random: Random): Fault {
  const isFlush = round % 5 === 4;
  const callsMax = isFlush ? FLUSHES_MAX : CALLS_MAX;
  return {
    nth: 1 + Math.floor(random() ** 2 * callsMax),
    error: round % 2 === 0 ? 'EIO' : 'ENOSPC',
    isOnward: round % 4 > 1,
    isFlush,
  };
}

async function isWriting(service: Service, { apiKey }: Store): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${service.port}/v1/workspace`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `at ${Date.now()}` }),
    });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}

/** A service that can no longer write must end by itself, with an exit code that makes a supervisor restart it. */
async function faultsOfExit(service: Service): Promise<Faults> {
  const late = new Promise<undefined>((resolve) => {
    setTimeout(() => resolve(undefined), EXIT_MS).unref();
  });
  const exit = await Promise.race([service.exited(), late]);
  if (exit && exit.signal === null && exit.code !== 0) return [];
  const faults = [
    `it neither writes nor ends well: ${JSON.stringify(exit)} ${service.output.slice(-4_000)}`,
  ];
  if (!exit) await service.end('SIGKILL');
  return faults;
}
