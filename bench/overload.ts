import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { measureGoodput } from '../torture/overload/goodput.ts';
import { type BenchEffort, say } from './engines.ts';
import { type LoadResult, load, percentile } from './load.ts';
import { refuseOtherAnswers } from './measure.ts';
import { offeredTable } from './offered-load.ts';
import { startService } from './processes.ts';
import { scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';

const OPERATIONS = ['read one pet', 'place an order'];
const CARRIED = [32, 64, 128, 256];
const TIMES = 10;

/**
 * Ten times as many clients as the service needs for its best throughput, none of which ever pauses. Throughput must
 * not fall, and rejections must come at once. Then a crowd that the service has to shed, on both engines, and orders at rates
 * beyond the best, each offered for so many seconds.
 */
export async function measureOverload(
  effort: BenchEffort,
  offeredSeconds: number,
): Promise<string[]> {
  await using cleanUp = new AsyncDisposableStack();
  const store = await prepareStore(effort.pets, {}, () => undefined);
  cleanUp.defer(store.remove);
  const service = await startService(store.environment);
  cleanUp.defer(service.stop);
  const lines = [
    '| operation | clients | answered/s | p99 ms | shed | p99 ms of shed |',
    '|---|---|---|---|---|---|',
  ];
  let sent = 1;
  for (const { name, status, request } of scenariosOf(store, 'sqlite')) {
    if (!OPERATIONS.includes(name)) continue;
    const run = async (connections: number) => {
      const first = sent;
      const requests = Math.max(effort.requests, connections * 20);
      sent += requests;
      const next = (n: number) => request(first + n);
      const result = await load({ ports: service.ports, connections, requests, request: next });
      refuseOtherAnswers({ name, status }, result, { mayShed: true });
      const perSecond = (result.statuses.get(status) ?? 0) / result.seconds;
      say(`  ${name}, ${connections} clients: ${perSecond.toFixed(0)} a second\n`);
      lines.push(rowOf(name, connections, perSecond, result));
      return { connections, perSecond };
    };
    await run(CARRIED[0]!);
    lines.pop();
    const carried = [];
    for (const connections of CARRIED) carried.push(await run(connections));
    const best = carried.reduce((a, b) => (a.perSecond >= b.perSecond ? a : b));
    const { perSecond } = await run(best.connections * TIMES);
    lines.push(
      `| ${name} | ${TIMES} times ${best.connections} | ${((100 * perSecond) / best.perSecond).toFixed(0)} % of the best | | | |`,
    );
  }
  return [
    '## Ten times the load, SQLite',
    lines.join('\n'),
    '## A crowd six times as large as the service has room for',
    await crowdTable(),
    '## Orders beyond the best load, PostgreSQL and Redis, one node',
    await offeredTable(effort, offeredSeconds),
  ];
}

async function crowdTable(): Promise<string> {
  await using cleanUp = new AsyncDisposableStack();
  const [postgres, redis] = await Promise.all([startPostgres({ isDurable: true }), startRedis()]);
  cleanUp.defer(async () => void (await Promise.all([postgres.stop(), redis.stop()])));
  const urls = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url };
  const lines = ['| engine | writes/s | writes/s in a crowd | shed |', '|---|---|---|---|'];
  for (const [name, environment] of Object.entries({ SQLite: {}, 'PostgreSQL and Redis': urls })) {
    const { alonePerSecond, crowdedPerSecond, shed, faults } = await measureGoodput(environment);
    if (faults.length > 0) throw new Error(`${name}: ${faults.join(', ')}`);
    const rates = [alonePerSecond, crowdedPerSecond].map((rate) => rate.toFixed(0));
    lines.push(`| ${[name, ...rates, shed].join(' | ')} |`);
  }
  return lines.join('\n');
}

function rowOf(name: string, clients: number, perSecond: number, result: LoadResult): string {
  const { rejected, latencies } = result;
  const p99 = rejected.length === 0 ? '' : percentile(rejected, 0.99).toFixed(1);
  const cells = [name, clients, perSecond.toFixed(0), percentile(latencies, 0.99).toFixed(0)];
  return `| ${[...cells, rejected.length, p99].join(' | ')} |`;
}
