// What a command does if its output cannot be written.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { installPetstore } from '../../../client/test/support/terminal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CLIENT = fileURLToPath(new URL('../../../client/src/cli/petstore.ts', import.meta.url));
const folder = temporaryFolder();
const env = {
  PATH: `${folder.path}:${process.env.PATH}`,
  PETSTORE_DATA_DIR: folder.path,
  XDG_CONFIG_HOME: folder.path,
};

/** Makes 4 the writing end of a pipe whose reader is gone. */
const UNREAD_PIPE = 'pipe=$(mktemp -u); mkfifo $pipe; exec 3<> $pipe 4> $pipe 3<&-; rm $pipe';

/** Runs a line of bash, in which `petstore` is the command line and `$CLIENT` the one of the client alone. */
function bash(line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const client = `'${process.execPath}' '${CLIENT}'`;
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['--norc', '-c', line.replaceAll('$CLIENT', client)],
      { env },
      (err, stdout, stderr) => resolve({ code: Number(err?.code ?? 0), stdout, stderr }),
    );
  });
}

beforeAll(async () => {
  installPetstore(folder.path);
  expect(
    (await bash('petstore server migrate && petstore server workspaces create --name Shop')).code,
  ).toBe(0);
  expect((await bash('petstore server demo --pets 1')).code).toBe(0);
});

describe('a reader that has seen enough', () => {
  it.each([
    'petstore help',
    'petstore server keys list',
    'petstore server workspaces list --json',
    'petstore version',
    '$CLIENT help',
  ])('ends `%s` quietly', async (command) => {
    const { code, stderr } = await bash(`${UNREAD_PIPE}; ${command} >&4`);
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe.runIf(process.platform === 'linux')('a full disk', () => {
  it.each(['petstore help', 'petstore server keys list', 'petstore version', '$CLIENT help'])(
    'fails `%s` with one line',
    async (command) => {
      const { code, stderr } = await bash(`${command} > /dev/full`);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^petstore: standard output cannot be written: ENOSPC[^\n]*\n$/);
    },
  );

  it.each([
    ['petstore server keys list --workspace 9', 1],
    ['petstore pets list', 4],
    ['$CLIENT pets list', 4],
  ])('for the messages of `%s` does not change how it ends', async (command, code) => {
    expect(await bash(`${command} 2> /dev/full`)).toMatchObject({ code, stdout: '' });
  });
});

it('a command that is done has succeeded, though its messages cannot be written', async () => {
  const backup = (to: string) => `petstore server backup --to ${folder.path}/${to}.db`;
  const unread = await bash(`${UNREAD_PIPE}; ${backup('unread')} 2>&4`);
  expect(unread.code).toBe(0);
  expect((await bash(`${backup('full')} 2> /dev/full`)).code).toBe(0);
});
