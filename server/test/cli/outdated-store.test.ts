import Database from 'better-sqlite3';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';
import { readMigrations } from '../../src/datastore/migrations.ts';
import { captureOutput } from '../support/captured-output.ts';
import { createMigratedDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const output = captureOutput();
const newest = readMigrations().at(-1)!.version;
const run = (line: string) => runCommand(line.split(' '));
const FORGET = `DELETE FROM schema_migrations WHERE version = ${newest}`;
const HISTORY = 'SELECT version FROM schema_migrations ORDER BY version';

interface Store {
  query(sql: string): Promise<unknown[]> | unknown[];
}

const commands = [
  'server keys list',
  'server keys create --name till',
  'server workspaces list',
  'server bans list',
  'server reconcile --repair',
  'server demo',
];

/** Makes the store one of the version before, as far as its history says. */
async function expectRefusals(store: Store, lines: readonly string[]): Promise<void> {
  await store.query(FORGET);
  const before = await store.query(HISTORY);
  for (const line of lines) {
    output.stderr = '';
    expect([line, await run(line)]).toEqual([line, 1]);
    expect(output.stderr).toBe(
      'petstore: the database lacks a migration of this version: run petstore server migrate\n',
    );
  }
  expect(await store.query(HISTORY)).toEqual(before);
}

it('only start and migrate upgrade a store on SQLite; other commands name the one that does', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  vi.stubEnv('PETSTORE_DATA_DIR', folder.path);
  expect(await run('server migrate')).toBe(0);
  const db = new Database(`${folder.path}/petstore.db`);
  onTestFinished(() => void db.close());
  const query = (sql: string) => {
    const statement = db.prepare(sql);
    return statement.reader ? statement.all() : [statement.run()];
  };
  await expectRefusals({ query }, commands);
});

it('only start and migrate upgrade a store on PostgreSQL', async () => {
  const url = await createMigratedDatabase();
  vi.stubEnv('PETSTORE_DATABASE_URL', url);
  expect(await run('server migrate')).toBe(0);
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  const query = async (sql: string) => (await client.query(sql)).rows;
  await expectRefusals({ query }, commands.slice(0, 2));
});
