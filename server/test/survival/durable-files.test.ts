import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findOrInstall } from '../../../scripts/test-support/install-packages.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FLUSHES = ['fsync', 'fdatasync'];

function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  return realpathSync(folder.path);
}

/** Calls a function of a module in another process. Returns what it did with the files in the folder, in order. */
function traced(folder: string, module: string, call: string): string[] {
  const strace = findOrInstall(['strace'], ['strace']);
  const trace = join(newFolder(), 'calls');
  const url = new URL(`../../src/${module}`, import.meta.url);
  const script = `const module = await import('${url}'); module.${call}`;
  const node = [process.execPath, '--input-type=module', '-e', script];
  const calls = 'trace=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,link,linkat';
  execFileSync(strace, ['-f', '-y', '-e', calls, '-o', trace, ...node], { stdio: 'inherit' });
  const lines = readFileSync(trace, 'utf8').split('\n');
  const steps = lines.filter((line) => line.includes(folder)).map(stepOf);
  return steps.filter((step, at) => step !== steps[at - 1]);
}

/** A system call: "write a file", "flush a file", "rename" or "link". */
function stepOf(line: string): string {
  const [, name = '', path = ''] = /(\w+)\((?:\d+<([^>]*)>)?/.exec(line) ?? [];
  if (/^(rename|link)/.test(name)) return name.replace(/at2?$/, '');
  const file = basename(path).replace(/\.\d+$/, '');
  return `${FLUSHES.includes(name) ? 'flush' : 'write'} ${file}`;
}

it('a backup is flushed before it gets its name, and its name before it is reported', () => {
  const folder = newFolder();
  const [file, copy] = [join(newFolder(), 'petstore.db'), join(folder, 'copy.db')];
  migrateSqlite(file);
  const steps = traced(folder, 'datastore/sqlite/backup.ts', `backupSqlite('${file}', '${copy}')`);
  expect(steps).toContain('write copy.db.partial');
  expect(steps.slice(-3)).toEqual(['flush copy.db.partial', 'rename', `flush ${basename(folder)}`]);
});

it('a secret key is flushed before it gets its name, and its name before it is used', () => {
  const folder = newFolder();
  const file = join(folder, 'secret.key');
  const steps = traced(folder, 'lib/secret-key-file.ts', `openSecretKeyFile('${file}')`);
  expect(steps).toEqual([
    'write secret.key',
    'flush secret.key',
    'link',
    `flush ${basename(folder)}`,
  ]);
});
