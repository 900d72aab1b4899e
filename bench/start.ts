// What a node costs before its first request: with each store, and with the client library of each topology of Valkey.

import { startCluster, startSentinels } from '../server/test/support/redis-topologies.ts';
import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';
import { median } from './measure.ts';
import { cpuSeconds, residentMegabytes, startService } from './processes.ts';

interface Start {
  cpuMs: number;
  memoryMb: number;
}

/** Starts each kind of node in turns, so that other work on the machine hits all alike. */
export async function measureStart(rounds: number): Promise<string[]> {
  const [postgres, redis, sentinels, cluster] = await Promise.all([
    startPostgres(),
    startRedis(),
    startSentinels(),
    startCluster(),
  ]);
  const database = { PETSTORE_DATABASE_URL: postgres.url };
  const kinds: [name: string, environment: Record<string, string>][] = [
    ['SQLite, a new store at each start', {}],
    ['PostgreSQL', database],
    ['PostgreSQL, one Redis', { ...database, PETSTORE_VALKEY_URL: redis.url }],
    ['PostgreSQL, Sentinel', { ...database, PETSTORE_VALKEY_URL: sentinels.url }],
    ['PostgreSQL, Cluster', { ...database, PETSTORE_VALKEY_URL: cluster.url }],
  ];
  try {
    const starts = kinds.map((): Start[] => []);
    // The first round migrates and fills the cache of compiled code.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [at, [, environment]] of kinds.entries()) {
        const start = await startOnce(environment);
        if (round > 0) starts[at]!.push(start);
      }
    }
    const rows = kinds.map(([name], at) => {
      const of = (field: keyof Start) => median(starts[at]!.map((start) => start[field]));
      return `| ${name} | ${of('cpuMs').toFixed(0)} | ${of('memoryMb').toFixed(0)} |`;
    });
    const head = '| a node on | CPU ms until ready | resident MB when ready |\n|---|---|---|';
    const legend = `Medians of ${rounds} starts in turns, with compiled code in the cache. The library of Valkey is loaded where it is used.`;
    return ['## Start and memory of a node', legend, [head, ...rows].join('\n')];
  } finally {
    await Promise.all([postgres, redis, sentinels, cluster].map((server) => server.stop()));
  }
}

async function startOnce(environment: Record<string, string>): Promise<Start> {
  const folder = temporaryFolder();
  const node = await startService({ PETSTORE_DATA_DIR: folder.path, ...environment });
  const start = { cpuMs: 1000 * cpuSeconds(node.pids[0]!), memoryMb: residentMegabytes(node) };
  await node.stop();
  folder.remove();
  return start;
}
