import { rmSync } from 'node:fs';
import { copyStore } from '../server/src/services/copy.ts';
import { openStoreAlone } from '../server/src/stores.ts';
import { type BenchEffort, say } from './engines.ts';
import { type Measurement, measure } from './measure.ts';
import { residentMegabytes, startService } from './processes.ts';
import { scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';

/** Larger stores are not copied: that would take longer than the rest of the run. */
const COPIED_MAX = 1_000_000;
const OPERATIONS = ['read one pet', 'list 20', 'filter by status', 'place an order'];

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
    const store = await prepareStore(pets, {}, (share) =>
      say(`\r  loading ${pets} pets, orders and ledgers ${Math.round(share * 100)} % `),
    );
    say('\n');
    const copied = pets > COPIED_MAX ? '' : await copiedPerSecond(store.environment);
    const startedAt = performance.now();
    const service = await startService(store.environment);
    const ready = performance.now() - startedAt;
    const idle = residentMegabytes(service);
    const results: Measurement[] = [];
    for (const scenario of scenariosOf(store, 'sqlite')) {
      if (!OPERATIONS.includes(scenario.name)) continue;
      results.push(await measure(scenario, service, effort));
      say(`  ${scenario.name}: ${results.at(-1)!.service.toFixed(0)} us\n`);
    }
    await service.stop();
    store.remove();
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

/** Copies the store into a new file, as `petstore copy` does. */
async function copiedPerSecond(environment: Record<string, string>): Promise<string> {
  const folder = environment.PETSTORE_DATA_DIR!;
  const target = `${folder}-copy`;
  const [from, to] = [await openStoreAlone(folder), await openStoreAlone(target)];
  const startedAt = performance.now();
  const { equal, differences } = await copyStore(from.store, to.store, ({ table, done, total }) =>
    say(`\r  copying ${table} ${done} of ${total}                    `),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  say('\n');
  await from[Symbol.asyncDispose]();
  await to[Symbol.asyncDispose]();
  rmSync(target, { recursive: true });
  if (differences.length > 0) throw new Error(`the copy differs: ${differences[0]}`);
  return (equal / seconds).toFixed(0);
}
