import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { openFile } from '../../../src/datastore/sqlite/file.ts';
import { migrateSqlite } from '../../../src/datastore/sqlite/migrate.ts';
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
