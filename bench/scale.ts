import { setTimeout as pause } from 'node:timers/promises';
import { copyStore } from '../server/src/services/maintenance/copy.ts';
import { openStoreAlone } from '../server/src/stores.ts';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';
import { type BenchEffort, say } from './engines.ts';
import { type Measurement, measure } from './measure.ts';
import { residentMegabytes, startService } from './processes.ts';
import { type Scenario, scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';

/** Larger stores are not copied: that would take longer than the rest of the run. */
const COPIED_MAX = 100_000;
const AS_OF = 'stock of 100 as of a moment';
const OPERATIONS = ['read one pet', 'list 20', 'filter by status', 'place an order', AS_OF];
/** How long ago a moment must be before its stock can be asked for. */
const SETTLED_MS = 5_500;

/** Measures the same operations on ever larger stores. Their cost must not grow with the store. */
export async function measureScale(
  sizes: readonly number[],
  effort: BenchEffort,
): Promise<string[]> {
  const lines = [
    `| pets | loaded a second | rows copied a second | ready after ms | idle MB | ${OPERATIONS.join(' | ')} |`,
    `|---|---|---|---|---|${'---|'.repeat(OPERATIONS.length)}`,
  ];
  for (const pets of sizes) {
    await using cleanUp = new AsyncDisposableStack();
    const loadedFrom = Date.now();
    const store = await prepareStore(pets, {}, (share) =>
      say(`\r  loading ${pets} pets, orders and ledgers ${Math.round(share * 100)} % `),
    );
    cleanUp.defer(store.remove);
    say('\n');
    const loadedTo = Date.now();
    const copied = pets > COPIED_MAX ? '' : await copiedPerSecond(store.environment);
    const startedAt = performance.now();
    const service = await startService(store.environment);
    const ready = performance.now() - startedAt;
    cleanUp.defer(service.stop);
    const idle = residentMegabytes(service);
    const results: Measurement[] = [];
    await pause(Math.max(0, loadedTo + SETTLED_MS - Date.now()));
    const asOf = asOfScenario(store.key, { from: loadedFrom, to: loadedTo });
    for (const scenario of [...scenariosOf(store, 'sqlite'), asOf]) {
      if (!OPERATIONS.includes(scenario.name)) continue;
      results.push(await measure(scenario, service, effort));
      say(`  ${scenario.name}: ${results.at(-1)!.service.toFixed(0)} us\n`);
    }
    const costs = results.map(
      ({ service: cost, ratio }) => `${cost.toFixed(0)} us (${ratio.toFixed(2)})`,
    );
    const loaded = (pets / store.loadSeconds).toFixed(0);
    lines.push(`| ${[pets, loaded, copied, ready.toFixed(0), idle, ...costs].join(' | ')} |`);
  }
  const legend =
    'CPU microseconds per request, and in brackets the ratio to bare `node:http`. Each pet has an order and two ledger rows. A copy is read again and compared row by row.';
  return ['## As the store grows, SQLite', lines.join('\n'), legend];
}

/** Reads the stock of moments all over the time in which the store was loaded. */
function asOfScenario(key: string, { from, to }: { from: number; to: number }): Scenario {
  const request = (n: number) => {
    const moment = new Date(from + ((n * 7919) % (to - from))).toISOString();
    // Digits beyond the millisecond change no moment; they keep a response from being a cached one.
    const asOf = moment.replace('Z', `${String(n).padStart(9, '0')}Z`);
    const path = `/v1/inventory?limit=100&asOf=${asOf}`;
    return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  };
  return { name: AS_OF, status: 200, request };
}

/** Copies the store into a new file, as `petstore server copy` does. */
async function copiedPerSecond(environment: Record<string, string>): Promise<string> {
  using cleanUp = new DisposableStack();
  const target = temporaryFolder('petstore-bench-');
  cleanUp.defer(target.remove);
  await using from = await openStoreAlone(environment.PETSTORE_DATA_DIR!);
  await using to = await openStoreAlone(target.path);
  const startedAt = performance.now();
  const { equal, differences } = await copyStore(from.store, to.store, ({ table, done, total }) =>
    say(`\r  copying ${table} ${done} of ${total}                    `),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  say('\n');
  if (differences.length > 0) throw new Error(`the copy differs: ${differences[0]}`);
  return (equal / seconds).toFixed(0);
}
