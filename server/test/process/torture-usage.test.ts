import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('../../../torture/run.ts', import.meta.url));

it.each(['--cycles 1OO', '--engine postgre'])(
  'npm run torture -- %s shows the help and runs nothing',
  (line) => {
    const args = [RUN, '--only', 'revocation', ...line.split(' ')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: '' });
    expect(stdout).toMatch(/^npm run torture -- \[--cycles N\]/);
  },
);
