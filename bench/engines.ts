import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { type Effort, type Measurement, measure } from './measure.ts';
import { cpuSeconds, residentMegabytes, startService } from './processes.ts';
import { scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';

export interface BenchEffort extends Effort {
  pets: number;
}

const titles = { sqlite: 'SQLite, one node', postgres: 'PostgreSQL and Redis, one of the nodes' };

/** Every scenario on one engine, as sections of the report. */
export async function measureEngine(
  engine: 'sqlite' | 'postgres',
  effort: BenchEffort,
  only: string | undefined,
): Promise<string[]> {
  const backends = engine === 'postgres' ? [await startPostgres(), await startRedis()] : [];
  const [postgres, redis] = backends;
  const environment: Record<string, string> =
    postgres && redis
      ? { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url }
      : {};
  say(`${titles[engine]}\n`);
  const store = await prepareStore(effort.pets, environment, (share) =>
    say(`\r  loading ${effort.pets} pets ${Math.round(share * 100)} % `),
  );
  say('\n');
  const service = await startService(store.environment);
  const idle = residentMegabytes(service.pid);
  const results: Measurement[] = [];
  try {
    for (const scenario of scenariosOf(store, engine)) {
      if (only && !scenario.name.includes(only)) continue;
      const before = backends.map(({ pid }) => treeSeconds(pid));
      const result = await measure(scenario, service, effort);
      const requests = effort.requests * (effort.rounds + 1);
      result.backends = backends.map(
        ({ pid }, at) => ((treeSeconds(pid) - before[at]!) * 1e6) / requests,
      );
      say(`  ${scenario.name}: ${result.ratio.toFixed(2)} times bare node:http\n`);
      results.push(result);
    }
    const memory = `Memory: ${idle} MB idle, ${residentMegabytes(service.pid)} MB after the run.`;
    return [
      `## ${titles[engine]}, ${effort.pets} pets`,
      tableOf(results, backends.length > 0),
      memory,
    ];
  } finally {
    await service.stop();
    for (const backend of backends) await backend.stop();
    store.remove();
  }
}

export function say(text: string): void {
  process.stderr.write(text);
}

/** CPU of a server and of the processes it has started, which is where PostgreSQL does its work. */
function treeSeconds(pid: number): number {
  return cpuSeconds(pid, true);
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
      ...(hasBackends ? (row.backends ?? []).map((cost) => cost.toFixed(0)) : []),
      row.perSecond.toFixed(0),
      row.p50.toFixed(1),
      row.p99.toFixed(1),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}
