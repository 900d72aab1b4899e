import type Database from 'better-sqlite3';
import { OutdatedStore } from '../failures.ts';
import { type Dialect, pendingMigrations, sqlOf } from '../migrations.ts';
import { holdsStore, openFile, unusable } from './file.ts';
import { BUSY_MS } from './write-lock.ts';

export const sqliteDialect: Dialect = {
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  directory_id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  int: 'INTEGER',
  text: 'TEXT',
  key: 'UNIQUE (workspace_id, id)',
  rows: 'STRICT',
  sorted: 'STRICT, WITHOUT ROWID',
  arrival: 'INTEGER NOT NULL',
  // Every index ends with the id anyway. If it is named, SQLite does not use it for a comparison of several columns.
  and_id: '',
};

/**
 * Brings the schema up to date in one transaction, and creates the file if it is missing. Returns the names of the
 * migrations that it applied. Unless it may upgrade, it throws an OutdatedStore for a store that is not up to date.
 */
export function migrateSqlite(file: string, { mayUpgrade = true } = {}): string[] {
  const isNew = !holdsStore(file);
  const db = openFile(file);
  try {
    db.pragma(`busy_timeout = ${BUSY_MS}`);
    if (!isNew && !mayUpgrade) return refusePending(db);
    return db.transaction(() => applyPending(db)).immediate();
  } catch (err) {
    throw unusable(file, err);
  } finally {
    db.close();
  }
}

function refusePending(db: Database.Database): [] {
  const pending = pendingMigrations(readHistory(db));
  if (pending.length > 0) throw new OutdatedStore(pending.length);
  return [];
}

function readHistory(db: Database.Database): [version: number, checksum: string][] {
  return db
    .prepare<[], [number, string]>('SELECT version, checksum FROM schema_migrations')
    .raw()
    .all() as [number, string][];
}

function applyPending(db: Database.Database): string[] {
  db.exec(`CREATE TABLE IF NOT EXISTS schema_migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL
  ) STRICT`);
  const applied = readHistory(db);
  const record = db.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)');
  return pendingMigrations(applied).map((migration) => {
    db.exec(sqlOf(migration, sqliteDialect));
    record.run(migration.version, migration.name, migration.checksum, Date.now());
    return migration.name;
  });
}
