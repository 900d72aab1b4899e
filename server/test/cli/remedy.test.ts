import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { remedyOf, runCommand } from '../../src/cli/run-command.ts';
import { isWellFormedApiKey } from '../../src/lib/api-key.ts';
import { captureOutput } from '../support/captured-output.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const output = captureOutput();
const UNPRIVILEGED = 65_534;

it.each([
  ['EADDRINUSE', 'listen', 'set PETSTORE_PORT'],
  ['EACCES', 'listen', 'set PETSTORE_PORT to 1024 or above'],
  ['EADDRNOTAVAIL', 'listen', 'set PETSTORE_HOST'],
  ['ENOTFOUND', 'getaddrinfo', 'set PETSTORE_HOST'],
  ['EACCES', 'mkdir', 'set PETSTORE_DATA_DIR'],
  ['EROFS', 'mkdir', 'set PETSTORE_DATA_DIR'],
  ['EEXIST', 'open', 'name a file that does not exist yet'],
])('after %s of %s says what to do', (code, syscall, text) => {
  expect(remedyOf(Object.assign(new Error(code), { code, syscall }))).toContain(text);
});

it('adds nothing to an error that it does not know', () => {
  expect(remedyOf(Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' }))).toBe(
    undefined,
  );
});

it('a data folder that cannot be written is answered with what to do', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const data = join(folder.path, 'data');
  mkdirSync(data);
  chmodSync(data, 0o555);
  chmodSync(folder.path, 0o555);
  if (process.getuid!() === 0) {
    process.seteuid!(UNPRIVILEGED);
    onTestFinished(() => process.seteuid!(0));
  }
  for (const place of [data, join(folder.path, 'other')]) {
    output.stderr = '';
    vi.stubEnv('PETSTORE_DATA_DIR', place);
    expect(await runCommand(['server', 'migrate'])).toBe(1);
    expect(output.stderr).toMatch(/^petstore: .*write access.*PETSTORE_DATA_DIR.*\n$/);
  }
});

it('server keys generate prints a key and needs no database', async () => {
  vi.stubEnv('PETSTORE_DATA_DIR', '/nowhere');
  expect(await runCommand(['server', 'keys', 'generate'])).toBe(0);
  expect(isWellFormedApiKey(output.stdout.trim())).toBe(true);
});
