import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { bootstrap } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PAGE_BYTES = 4_096;
let folder: string;
let file: string;
beforeEach(() => {
  const temporary = temporaryFolder();
  onTestFinished(temporary.remove);
  folder = temporary.path;
  file = join(folder, 'petstore.db');
});

function open() {
  return openStore(readConfig({ PETSTORE_DATA_DIR: folder }));
}

async function makeStore(): Promise<void> {
  const { store } = await open();
  await bootstrap(store, { keyText: undefined, now: 0 });
  await store.close();
}

/** Leaves a database as a crash would: what was written last is in its log. */
function leaveLog(sql: string): void {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(sql);
  const left = ['petstore.db', 'petstore.db-wal'].map(
    (name) => [name, readFileSync(join(folder, name))] as const,
  );
  db.close();
  for (const [name, bytes] of left) writeFileSync(join(folder, name), bytes);
}

function overwrite(page: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  writeFileSync(file, bytes);
}

/** All files but the index of the log, which every process that opens the database rewrites. */
function filesThere(): [string, string][] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith('-shm'))
    .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
}

const unusable: [string, () => Promise<void> | void][] = [
  ['a text', () => writeFileSync(file, 'Today I bought a dog.\n'.repeat(500))],
  [
    'a database of another program',
    () => new Database(file).exec('CREATE TABLE diary (p)').close(),
  ],
  [
    'a database of another program with a log of its own',
    () => leaveLog('CREATE TABLE diary (page TEXT)'),
  ],
  [
    'a store with a damaged page',
    async () => {
      await makeStore();
      overwrite(5);
    },
  ],
  [
    'a store with a damaged page and a log',
    async () => {
      await makeStore();
      leaveLog("UPDATE workspaces SET name = 'changed'");
      overwrite(5);
    },
  ],
  [
    'a store that was cut short',
    async () => {
      await makeStore();
      truncateSync(file, 10 * PAGE_BYTES);
    },
  ],
  [
    'an empty file with a log',
    async () => {
      await makeStore();
      leaveLog("UPDATE workspaces SET name = 'changed'");
      truncateSync(file, 0);
    },
  ],
];

describe('a file that is no store of ours is refused and left byte for byte as it was', () => {
  it.each(unusable)('%s', async (_, prepare) => {
    await prepare();
    const before = filesThere();
    await expect(open()).rejects.toThrow(file);
    expect(filesThere().filter(([name]) => before.some(([known]) => known === name))).toEqual(
      before,
    );
  });
});

it('takes a store whose last writes are still in its log', async () => {
  await makeStore();
  leaveLog("UPDATE workspaces SET name = 'changed'");
  const { store } = await open();
  const { items } = await store.read.workspaces.list({ limit: 1, sort: 'id' });
  await store.close();
  expect(items[0]!.name).toBe('changed');
});
