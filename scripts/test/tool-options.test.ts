import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readBenchOptions } from '../../bench/options.ts';
import { readTortureOptions } from '../../torture/options.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Each of these once ran something else than was asked for, or ended with a stack trace.
it.each([
  ['fuzz/run.ts --slow-ms 1s', 'npm run fuzz -- [--requests N]'],
  ['fuzz/run.ts --lanes 1', 'npm run fuzz -- [--requests N]'],
  ['bench/run.ts consol', 'unknown: consol'],
  ['bench/run.ts --engine postgre', 'unknown: --engine postgre'],
  ['torture/run.ts --cycle 5', "Unknown option '--cycle'"],
  ['torture/run.ts --only revocation --cycles 1OO', 'no count: --cycles 1OO'],
  ['planted/run.ts no such bug', 'no planted bug has a name that contains "no such bug"'],
])('node %s runs nothing and says why', (line, message) => {
  const run = spawnSync(process.execPath, line.split(' '), { cwd: root, encoding: 'utf8' });
  expect({ status: run.status, stdout: run.stdout }).toEqual({ status: 2, stdout: '' });
  expect(run.stderr).toContain(message);
});

/** What a tool says when it refuses its options. */
function refusalOf(read: (args: string[]) => unknown, line: string): string {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  onTestFinished(() => {
    write.mockRestore();
    exit.mockRestore();
  });
  expect(() => read(line.split(' '))).toThrow('exit 2');
  return String(write.mock.calls[0]![0]);
}

it.each([
  ['--quik', "Unknown option '--quik'"],
  ['--only zebra', 'no scenario has a name that contains "zebra"'],
  ['--engine nodes --only filter', 'no scenario has a name that contains "filter"'],
  ['--engine slow-flush --only read', '--only has no effect on slow-flush'],
  ['--against HEAD --engine nodes', 'unknown: --engine nodes'],
  ['--quick --huge', '--huge has no effect on cost'],
  ['--scale --engine postgres', '--engine has no effect on scale'],
  ['--peers --overload', 'one at a time: peers, overload'],
])('bench refuses %s, of which it would ignore something', (line, message) => {
  expect(refusalOf(readBenchOptions, line)).toContain(message);
});

it.each([
  ['--cycles 0', 'no count: --cycles 0'],
  ['--only crash --engine postgre', 'unknown: --engine postgre'],
  ['--only crashes', 'unknown: --only crashes'],
  ['--only drain --engine postgres', '--engine has no effect on drain'],
  ['--only streams --writers 4', '--writers has no effect on streams'],
  ['--only race --seed 5', '--seed has no effect on race'],
  ['--only goodput --cycles 5', '--cycles has no effect on goodput'],
])('torture refuses %s, of which it would ignore something', (line, message) => {
  expect(refusalOf(readTortureOptions, line)).toContain(message);
});

it('an option goes to the parts that understand it when all of them run', () => {
  const { parts, engine, cycles } = readTortureOptions(['--engine', 'postgres', '--cycles', '7']);
  expect({ engine, cycles }).toEqual({ engine: 'postgres', cycles: 7 });
  expect(parts).toContain('drain');
});

it('bench measures the cost of requests unless something else is asked for', () => {
  expect(readBenchOptions(['--quick', '--only', 'popular'])).toMatchObject({ mode: 'cost' });
  expect(readBenchOptions(['console', '--quick'])).toMatchObject({ mode: 'console' });
  expect(readBenchOptions(['--against', 'HEAD'])).toMatchObject({ mode: 'against' });
});
