import type Database from 'better-sqlite3';
import { OutdatedStore } from '../failures.ts';
import { type Dialect, pendingMigrations, sqlOf } from '../migrations.ts';
import { holdsStore, OPEN_MS, openFile, unusable } from './file.ts';

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
    const pending = isNew ? [] : pendingMigrations(readHistory(db));
    // Nothing is written to a store that is up to date, so a command need not wait while a busy service writes.
    if (!isNew && pending.length === 0) return [];
    if (!isNew && !mayUpgrade) throw new OutdatedStore(pending.length);
    db.pragma(`busy_timeout = ${OPEN_MS}`);
    return db.transaction(() => applyPending(db)).immediate();
  } catch (err) {
    throw unusable(file, err);
  } finally {
    db.close();
  }
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
