import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { UnusableDatabase } from '../../../src/datastore/failures.ts';
import { openFile } from '../../../src/datastore/sqlite/file.ts';
import { migrateSqlite } from '../../../src/datastore/sqlite/migrate.ts';
import { lockForServing } from '../../../src/datastore/sqlite/serving-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

function settingsOf(file: string) {
  const db = openFile(file);
  const setting = (name: string) => db.pragma(name, { simple: true }) as number;
  const pageBytes = setting('page_size');
  const logBytes = setting('wal_autocheckpoint') * pageBytes;
  db.close();
  return { pageBytes, logBytes };
}

it('a lock that cannot be opened names its file', () => {
  mkdirSync(`${folder.path}/locked/serving.lock`, { recursive: true });
  expect(() => lockForServing(`${folder.path}/locked`)).toThrow(UnusableDatabase);
  expect(() => lockForServing(`${folder.path}/locked`)).toThrow(/serving\.lock cannot be used/);
});

it('opens a file that another process locks for a moment', async () => {
  const file = `${folder.path}/closing.db`;
  migrateSqlite(file);
  // What a process does that closes the last connection.
  const code = `const db = new (require('better-sqlite3'))(${JSON.stringify(file)});
    db.pragma('locking_mode = EXCLUSIVE'); db.exec('BEGIN EXCLUSIVE; ROLLBACK');
    console.log('locked'); setTimeout(() => process.exit(), 100)`;
  const other = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');
  const db = openFile(file);
  expect(db.pragma('busy_timeout', { simple: true })).toBe(0);
  db.close();
});

it('is up to date without waiting for another process that writes', () => {
  const file = `${folder.path}/written.db`;
  migrateSqlite(file);
  const writer = new Database(file);
  writer.exec('BEGIN IMMEDIATE');
  expect(migrateSqlite(file)).toEqual([]);
  writer.close();
});

describe('the file of a store', () => {
  const logBytes = 16 * 1024 * 1024;

  it('has small pages when it is new, and a log of 16 MB', () => {
    const file = `${folder.path}/new.db`;
    migrateSqlite(file);
    expect(settingsOf(file)).toEqual({ pageBytes: 2_048, logBytes });
  });

  it('keeps the pages that it was made with', () => {
    const file = `${folder.path}/old.db`;
    const old = new Database(file);
    old.pragma('page_size = 4096');
    old.pragma('journal_mode = WAL');
    old.close();
    migrateSqlite(file);
    expect(settingsOf(file)).toEqual({ pageBytes: 4_096, logBytes });
  });
});
