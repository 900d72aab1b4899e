// Ctrl-C ends a command with 130, whatever it waits for.

import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { startPetstore } from '../support/run-petstore.ts';

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
