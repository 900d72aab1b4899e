import { spawnSync } from 'node:child_process';
import { type BenchEffort, say } from './engines.ts';
import { load, percentile } from './load.ts';
import { refuseOtherAnswers } from './measure.ts';
import { startService } from './processes.ts';
import { scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';

const FLUSH_US = 2_000;

/**
 * Measures reads beside writes on a disk whose flushes take 2 ms longer, as in many clouds. strace adds the delay to the
 * system calls; without strace nothing is measured.
 */
export async function measureSlowFlush(effort: BenchEffort): Promise<string[]> {
  const title = '## Reads beside writes, every flush 2 ms slower, SQLite';
  if (spawnSync('strace', ['-V']).status !== 0) {
    return [title, 'Not measured: install strace (Debian: `apt-get install strace`).'];
  }
  say('reads beside writes with a slow flush\n');
  await using cleanUp = new AsyncDisposableStack();
  const store = await prepareStore(effort.pets, {}, () => undefined);
  cleanUp.defer(store.remove);
  const trace = ['-f', '-qq', '--seccomp-bpf', '-o', '/dev/null'];
  const inject = [
    '-e',
    'trace=fdatasync,fsync',
    '-e',
    `inject=fdatasync,fsync:delay_exit=${FLUSH_US}`,
  ];
  const service = await startService(store.environment, {
    under: ['strace', ...trace, ...inject],
  });
  cleanUp.defer(service.stop);
  const scenarios = scenariosOf(store, 'sqlite');
  const find = (name: string) => scenarios.find((scenario) => scenario.name === name)!;
  const [read, order] = [find('read one pet'), find('place an order')];
  const requests = effort.requests;
  const [reads, writes] = await Promise.all([
    load({
      ports: service.ports,
      connections: 16,
      requests,
      request: read.request,
    }),
    load({
      ports: service.ports,
      connections: 64,
      requests,
      request: order.request,
    }),
  ]);
  refuseOtherAnswers(read, reads);
  refuseOtherAnswers(order, writes);
  const row = (name: string, { seconds, latencies }: typeof reads) => {
    const times = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(1));
    return `| ${[name, (requests / seconds).toFixed(0), ...times].join(' | ')} |`;
  };
  return [
    title,
    [
      '| operation | requests/s | p50 ms | p99 ms |',
      '|---|---|---|---|',
      row(read.name, reads),
      row(order.name, writes),
    ].join('\n'),
  ];
}
