// Ctrl-C ends a command with 130, whatever it waits for.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { startPetstore } from '../support/run-petstore.ts';

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
