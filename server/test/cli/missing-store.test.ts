import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';
import { captureOutput } from '../support/captured-output.ts';
import { createDatabase, onDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const output = captureOutput();
let parent: string;
let folder: string;
let file: string;
beforeEach(() => {
  const temporary = temporaryFolder();
  onTestFinished(temporary.remove);
  parent = temporary.path;
  folder = join(parent, 'data');
  file = join(folder, 'petstore.db');
});

async function petstore(args: string[], environment: Record<string, string> = {}) {
  Object.assign(output, { stdout: '', stderr: '' });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const exitCode = await runCommand(args);
  vi.unstubAllEnvs();
  return { exitCode, ...output };
}

const commands = [
  'keys list',
  'keys create --name till',
  'keys revoke AAAAAAAAAAAA',
  'workspaces list',
  'workspaces create --name shop',
  'bans list',
  'reconcile',
  'reconcile --repair',
  'backup --to PARENT/copy.db',
  'copy --from FOLDER --to PARENT/target',
];

const wordsOf = (line: string) => [
  'server',
  ...line.replaceAll('PARENT', parent).replaceAll('FOLDER', folder).split(' '),
];

describe('a URL that is none of PostgreSQL', () => {
  it.each([
    'mysql://ann:hunter2@127.0.0.1:1/db',
    'postgress://ann:hunter2@127.0.0.1:1/db',
    'postgres://ann:hunter2@127.0.0.1:port/db',
    'postgres:/ann:hunter2@127.0.0.1:1/db',
    'postgres:hunter2',
  ])('is not taken for a folder, and is not shown: %s', async (url) => {
    const [taken] = url.split('/') as [string];
    onTestFinished(() => rmSync(taken, { recursive: true, force: true }));
    expect((await petstore(['server', 'migrate'], { PETSTORE_DATA_DIR: folder })).exitCode).toBe(0);
    for (const line of [
      `copy --from FOLDER --to ${url}`,
      `copy --from ${url} --to PARENT/target`,
    ]) {
      const { exitCode, stdout, stderr } = await petstore(wordsOf(line));
      expect(exitCode).toBe(1);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^petstore: a database is a folder, or a URL like postgres:.*\n$/);
      expect(stderr).not.toContain('hunter2');
      expect(existsSync(taken)).toBe(false);
      expect(existsSync(join(parent, 'target'))).toBe(false);
    }
  });

  it('may write the scheme in any case', async () => {
    const url = (await createDatabase()).replace(/^postgres(ql)?/, 'Postgres');
    onTestFinished(() => rmSync('Postgres:', { recursive: true, force: true }));
    const { exitCode } = await petstore(['server', 'migrate'], { PETSTORE_DATABASE_URL: url });
    expect(exitCode).toBe(0);
    expect(existsSync('Postgres:')).toBe(false);
  });
});

describe('a command on a store that is not there', () => {
  it.each(commands)('names the place and creates nothing: %s', async (line) => {
    const { exitCode, stdout, stderr } = await petstore(wordsOf(line), {
      PETSTORE_DATA_DIR: folder,
    });
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`there is no store at ${file}`);
    expect(readdirSync(parent)).toEqual([]);
  });

  it('does not take an empty PostgreSQL database for a store, and shows no password', async () => {
    const url = new URL(await createDatabase());
    url.password = 'hunter2';
    url.searchParams.set('password', 'hunter2');
    const environment = { PETSTORE_DATABASE_URL: url.href };
    const { exitCode, stderr } = await petstore(['server', 'keys', 'list'], environment);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`there is no store at postgres://${url.username}@${url.host}`);
    expect(stderr).not.toContain('hunter2');
    const tables = await onDatabase(url.href, (client) =>
      client.query("SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'"),
    );
    expect(tables.rowCount).toBe(0);
  });
});

it('migrate creates a store, and copy its target once the source was found', async () => {
  const migrated = await petstore(['server', 'migrate'], { PETSTORE_DATA_DIR: folder });
  expect(migrated.exitCode).toBe(0);
  expect(existsSync(file)).toBe(true);
  const target = join(parent, 'target');
  const copied = await petstore(['server', 'copy', '--from', folder, '--to', target]);
  expect(copied.exitCode, copied.stderr).toBe(0);
  expect(existsSync(join(target, 'petstore.db'))).toBe(true);
});
