import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, onDatabase } from '../support/servers.ts';
import { petstore } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let parent: string;
let folder: string;
let file: string;
beforeEach(() => {
  const temporary = temporaryFolder();
  onTestFinished(temporary.remove);
  parent = temporary.path;
  folder = join(parent, 'data');
  file = join(folder, 'petstore.db');
  writeFileSync(join(parent, 'pets.csv'), 'name,category\nRex,Dogs\n');
});

const commands = [
  'keys list',
  'keys create --name till',
  'keys revoke AAAAAAAAAAAA',
  'workspaces list',
  'workspaces create --name shop',
  'bans list',
  'reconcile',
  'reconcile --repair',
  'import PARENT/pets.csv',
  'backup --to PARENT/copy.db',
  'copy --from FOLDER --to PARENT/target',
];

const wordsOf = (line: string) =>
  line.replaceAll('PARENT', parent).replaceAll('FOLDER', folder).split(' ');

describe('a command on a store that is not there', () => {
  it.each(commands)('names the place and creates nothing: %s', async (line) => {
    const { exitCode, stdout, stderr } = await petstore(wordsOf(line), {
      PETSTORE_DATA_DIR: folder,
    });
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`there is no store at ${file}`);
    expect(readdirSync(parent)).toEqual(['pets.csv']);
  });

  it('does not take an empty PostgreSQL database for a store, and shows no password', async () => {
    const url = new URL(await createDatabase());
    url.password = 'hunter2';
    url.searchParams.set('password', 'hunter2');
    const environment = { PETSTORE_DATABASE_URL: url.href };
    const { exitCode, stderr } = await petstore(['keys', 'list'], environment);
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
  const migrated = await petstore(['migrate'], { PETSTORE_DATA_DIR: folder });
  expect(migrated.exitCode).toBe(0);
  expect(existsSync(file)).toBe(true);
  const target = join(parent, 'target');
  const copied = await petstore(['copy', '--from', folder, '--to', target]);
  expect(copied.exitCode, copied.stderr).toBe(0);
  expect(existsSync(join(target, 'petstore.db'))).toBe(true);
});
