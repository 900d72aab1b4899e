import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { type Effort, type Measurement, measure } from './measure.ts';
import { residentMegabytes, startService, together } from './processes.ts';
import { type Scenario, scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';

export interface BenchEffort extends Effort {
  pets: number;
}

export type Engine = 'sqlite' | 'postgres';
export type Setup = Engine | 'nodes';

export const titles: Record<Setup, string> = {
  sqlite: 'SQLite, one node',
  postgres: 'PostgreSQL and Redis, one node',
  nodes: 'PostgreSQL and Redis, two nodes together',
};

/** Measures the wanted scenarios on one setup. */
export async function measureSetup(
  setup: Setup,
  effort: BenchEffort,
  isWanted: (scenario: Scenario) => boolean,
): Promise<string[]> {
  const backends =
    setup === 'sqlite' ? [] : [await startPostgres({ isDurable: true }), await startRedis()];
  const [postgres, redis] = backends;
  const environment: Record<string, string> =
    postgres && redis
      ? { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url }
      : {};
  say(`${titles[setup]}\n`);
  const store = await prepareStore(effort.pets, environment, (share) =>
    say(`\r  loading ${effort.pets} pets ${Math.round(share * 100)} % `),
  );
  say('\n');
  const nodes = [await startService(store.environment)];
  if (setup === 'nodes') nodes.push(await startService(store.environment));
  const service = { ...together(nodes), backendPids: backends.map(({ pid }) => pid) };
  const idle = residentMegabytes(service);
  const results: Measurement[] = [];
  try {
    for (const scenario of scenariosOf(store, setup === 'sqlite' ? 'sqlite' : 'postgres')) {
      if (!isWanted(scenario)) continue;
      const result = await measure(scenario, service, effort);
      say(`  ${scenario.name}: ${result.ratio.toFixed(2)} times bare node:http\n`);
      results.push(result);
    }
    const memory = `Memory: ${idle} MB idle, ${residentMegabytes(service)} MB after the run.`;
    const title = `## ${titles[setup]}, ${effort.pets} pets`;
    return [title, tableOf(results, backends.length > 0), memory];
  } finally {
    await service.stop();
    for (const backend of backends) await backend.stop();
    store.remove();
  }
}

export function say(text: string): void {
  process.stderr.write(text);
}

export function tableOf(rows: readonly Measurement[], hasBackends: boolean): string {
  const backends = hasBackends ? ' PostgreSQL us | Redis us |' : '';
  const lines = [
    `| operation | ratio | goal | service us | bare us |${backends} requests/s | p50 ms | p99 ms |`,
    `|---|---|---|---|---|${hasBackends ? '---|---|' : ''}---|---|---|`,
  ];
  for (const row of rows) {
    const cells = [
      row.name,
      row.ratio.toFixed(2),
      row.goal ?? '',
      row.service.toFixed(0),
      row.bare.toFixed(0),
      ...(hasBackends ? row.backends.map((cost) => cost.toFixed(0)) : []),
      row.perSecond.toFixed(0),
      row.p50.toFixed(1),
      row.p99.toFixed(1),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}
