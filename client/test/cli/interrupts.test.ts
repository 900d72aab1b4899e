// Ctrl-C ends a command with 130, whatever it waits for, and other signals end it as well.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { fakeService } from '../support/fake-service.ts';
import { startPetstore } from '../support/run-petstore.ts';
import { onTerminal } from '../support/terminal.ts';

const PROGRAM = fileURLToPath(new URL('../../../server/bin/petstore.js', import.meta.url));
const folder = temporaryFolder();

const env = { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };

it.each(['pets create --data -', 'stock take -', 'login'])(
  'while `petstore %s` reads standard input',
  async (line) => {
    const input = new PassThrough();
    const running = startPetstore(line.split(' '), { env, input });
    input.write('{');
    await new Promise(setImmediate);
    running.interrupt();
    expect(await running.ended).toEqual({ code: 130, stdout: '', stderr: '' });
    expect(input.destroyed).toBe(true);
  },
);

it.each(['exit 1', 'exit 0', 'echo psk_test'])(
  'while apiKeyCommand runs, which then ends with `%s`',
  (ending) => {
    // Ctrl-C reaches the command line and the command, which may handle it.
    const vault = { apiKeyCommand: `kill -INT $PPID; ${ending}`, baseUrl: 'http://127.0.0.1:9/v1' };
    mkdirSync(`${folder.path}/petstore`, { recursive: true });
    const file = JSON.stringify({ current: 'vault', profiles: { vault } });
    writeFileSync(`${folder.path}/petstore/config.json`, file, { mode: 0o600 });
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'pets', 'list'], {
      env: { PATH: process.env.PATH, XDG_CONFIG_HOME: folder.path },
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).toEqual([130, '', '']);
  },
);

describe.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s', (signal, exitCode) => {
  /** Runs a command until the service has its request, and sends the signal. */
  async function interrupted(line: string, answer: (res: ServerResponse) => void) {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const url = await fakeService((_, res) => {
      answer(res);
      arrived();
    });
    const child = spawn(process.execPath, [PROGRAM, ...line.split(' ')], {
      env: { ...env, PETSTORE_BASE_URL: url },
      cwd: folder.path,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const closed = once(child, 'close');
    const stderr = text(child.stderr);
    await Promise.race([arrival, closed]);
    child.kill(signal);
    const [code] = await closed;
    return { code, stderr: await stderr };
  }

  it('leaves no half of a file behind', async () => {
    const line = `workspaces export-own --to ${signal}.tar.gz`;
    const outcome = await interrupted(line, (res) => void res.write('half'));
    expect(outcome).toEqual({ code: exitCode, stderr: '' });
    expect(readdirSync(folder.path)).not.toContain(`${signal}.tar.gz`);
  });

  it('is followed by what to do about a change that may have been made', async () => {
    const { code, stderr } = await interrupted('orders place --pet-id 1', () => {});
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining('--idempotency-key ')]);
  });
});

it('SIGTERM ends a command that waits for a key to be typed', async () => {
  const line = `echo "pid $$"; exec '${process.execPath}' '${PROGRAM}' login`;
  const session = onTerminal(line, { env: { XDG_CONFIG_HOME: folder.path } });
  await session.sees('API key: ');
  const [, pid] = /pid (\d+)/.exec(session.screen())!;
  process.kill(Number(pid), 'SIGTERM');
  expect((await session.ended).code).toBe(143);
});
