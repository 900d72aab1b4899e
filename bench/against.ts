import { pathToFileURL } from 'node:url';
import { startPostgres, startRedis, type TestServer } from '../server/test/support/servers.ts';
import { type Checkout, checkOut } from './checkout.ts';
import { type BenchEffort, type Engine, say, titles } from './engines.ts';
import { backendMedians, interleave, median, quantile, type Round, sample } from './measure.ts';
import { startBare, startService, type Target } from './processes.ts';
import { type Scenario, scenariosOf } from './scenarios.ts';
import type { PreparedStore, prepareStore } from './store.ts';

/** One of the two services that are compared, with a store and backends of its own. */
interface Side {
  target: Target;
  store: PreparedStore;
  stop: () => Promise<void>;
}

export interface AgainstOptions {
  commit: string;
  engines: readonly Engine[];
  effort: BenchEffort;
  isWanted: (scenario: Scenario) => boolean;
}

/** Compares the service of this checkout with that of a commit. Both and bare node:http take turns in one run. */
export async function measureAgainst(options: AgainstOptions): Promise<string[]> {
  const other = checkOut(options.commit);
  try {
    const sections: string[] = [];
    for (const engine of options.engines) {
      sections.push(...(await compareOn(engine, other, options)));
    }
    const { rounds, requests } = options.effort;
    const legend = `CPU microseconds per request and ratios: medians of ${rounds} rounds of ${requests} requests. "now" is this checkout. Half of the rounds lie between the quartiles.`;
    return [`## Against ${other.commit}`, legend, ...sections];
  } finally {
    other.remove();
  }
}

async function compareOn(
  engine: Engine,
  other: Checkout,
  { effort, isWanted }: AgainstOptions,
): Promise<string[]> {
  say(`${titles[engine]}, this checkout and ${other.commit}\n`);
  const sides: Side[] = [];
  try {
    for (const folder of [process.cwd(), other.folder]) {
      sides.push(await startSide(folder, engine, effort));
    }
    const [now, then] = sides as [Side, Side];
    const rows: string[] = [];
    const scenarios = [now, then].map(({ store }) => scenariosOf(store, engine));
    for (const [at, other] of scenarios[1]!.entries()) {
      const scenario = scenarios[0]![at]!;
      if (!isWanted(scenario)) continue;
      const row = await compare([scenario, other], [now.target, then.target], effort);
      say(`  ${row.slice(2, -2)}\n`);
      rows.push(row);
    }
    return [`### ${titles[engine]}, ${effort.pets} pets`, tableOf(rows, engine, other.commit)];
  } finally {
    for (const side of sides) await side.stop();
  }
}

/** The commit's own code makes its store, so that both may have different migrations. */
async function startSide(folder: string, engine: Engine, effort: BenchEffort): Promise<Side> {
  const backends: TestServer[] =
    engine === 'sqlite' ? [] : [await startPostgres({ isDurable: true }), await startRedis()];
  const [postgres, redis] = backends;
  const environment: Record<string, string> =
    postgres && redis
      ? { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url }
      : {};
  const module = (await import(pathToFileURL(`${folder}/bench/store.ts`).href)) as {
    prepareStore: typeof prepareStore;
  };
  const store = await module.prepareStore(effort.pets, environment, () => undefined);
  const service = await startService(store.environment, { checkout: folder });
  const stop = async () => {
    await service.stop();
    for (const backend of backends) await backend.stop();
    store.remove();
  };
  const target = { ...service, backendPids: backends.map(({ pid }) => pid) };
  return { target, store, stop };
}

/** Each side has keys of its own, so each has its own requests. */
async function compare(
  scenarios: readonly [Scenario, Scenario],
  targets: readonly [Target, Target],
  effort: BenchEffort,
): Promise<string> {
  const [scenario] = scenarios;
  const bare = await startBare(await sample(scenario, targets[0].ports[0]!));
  await sample(scenarios[1], targets[1].ports[0]!);
  const turns = [
    { scenario, target: targets[0] },
    { scenario: scenarios[1], target: targets[1] },
    { scenario, target: bare },
  ];
  const [now = [], then = [], floor = []] = await interleave(turns, effort).finally(bare.stop);
  const us = (rounds: readonly Round[]) => median(rounds.map(({ cost }) => cost)).toFixed(1);
  const ratios = (above: readonly Round[], below: readonly Round[]) =>
    above.map(({ cost }, at) => cost / below[at]!.cost);
  const backends = backendMedians(now).flatMap((cost, at) => [
    cost.toFixed(0),
    backendMedians(then)[at]!.toFixed(0),
  ]);
  const between = ratios(now, then);
  const quartiles = [0.25, 0.75].map((share) => quantile(between, share).toFixed(2)).join(' to ');
  const toBare = [now, then].map((rounds) => median(ratios(rounds, floor)).toFixed(2));
  const cells = [scenario.name, us(now), us(then), us(floor), median(between).toFixed(2)];
  cells.push(quartiles, ...toBare, ...backends);
  return `| ${cells.join(' | ')} |`;
}

function tableOf(rows: readonly string[], engine: Engine, commit: string): string {
  const backends =
    engine === 'sqlite'
      ? []
      : ['PostgreSQL us now', `PostgreSQL us ${commit}`, 'Redis us now', `Redis us ${commit}`];
  const ratios = [`now / ${commit}`, 'quartiles', 'now / bare', `${commit} / bare`];
  const heads = ['operation', 'now us', `${commit} us`, 'bare us', ...ratios, ...backends];
  return [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...rows].join('\n');
}
