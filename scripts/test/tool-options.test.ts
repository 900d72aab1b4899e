import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Each of these once ran something else than was asked for.
it.each([
  ['fuzz/run.ts --slow-ms 1s', 'npm run fuzz -- [--requests N]'],
  ['fuzz/run.ts --lanes 1', 'npm run fuzz -- [--requests N]'],
  ['bench/run.ts consol', 'unknown: consol'],
  ['bench/run.ts --engine postgre', 'unknown: --engine postgre'],
  ['planted/run.ts no such bug', 'no planted bug has a name that contains "no such bug"'],
])('node %s runs nothing and says why', (line, message) => {
  const run = spawnSync(process.execPath, line.split(' '), { cwd: root, encoding: 'utf8' });
  expect({ status: run.status, stdout: run.stdout }).toEqual({ status: 2, stdout: '' });
  expect(run.stderr).toContain(message);
});
