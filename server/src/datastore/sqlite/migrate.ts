import type Database from 'better-sqlite3';
import { type Dialect, type Part, partsOf, pendingMigrations, sqlOf } from '../migrations.ts';
import { holdsStore, openFile, unusable } from './file.ts';
import { BUSY_MS } from './write-lock.ts';

export const sqliteDialect: Dialect = {
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  int: 'INTEGER',
  text: 'TEXT',
  strict: 'STRICT',
  keyed: 'STRICT, WITHOUT ROWID',
  arrival: 'INTEGER NOT NULL',
  add: 'ADD COLUMN',
  concurrently: '',
};

/**
 * Brings the schema up to date in one transaction, and creates the file if it is missing. Returns the names of the
 * migrations that it applied.
 */
export function migrateSqlite(file: string): string[] {
  holdsStore(file);
  const db = openFile(file);
  try {
    db.pragma(`busy_timeout = ${BUSY_MS}`);
    return db.transaction(() => applyPending(db)).immediate();
  } catch (err) {
    throw unusable(file, err);
  } finally {
    db.close();
  }
}

function applyPending(db: Database.Database): string[] {
  db.exec(`CREATE TABLE IF NOT EXISTS schema_migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL
  ) STRICT`);
  const applied = db
    .prepare<[], [number, string]>('SELECT version, checksum FROM schema_migrations')
    .raw()
    .all() as [number, string][];
  const record = db.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)');
  return pendingMigrations(applied).map((migration) => {
    const parts = partsOf(migration, sqliteDialect);
    if (parts.length === 0) db.exec(sqlOf(migration, sqliteDialect));
    for (const part of parts) run(db, part);
    record.run(migration.version, migration.name, migration.checksum, Date.now());
    return migration.name;
  });
}

/** No other process writes meanwhile, so all rows are one batch. */
function run(db: Database.Database, part: Part): void {
  if (part.kind === 'statements') {
    for (const statement of part.statements) db.exec(statement);
    return;
  }
  const bounds = `SELECT MIN(id) - 1 AS "1", MAX(id) AS "2" FROM ${part.table}`;
  db.prepare(part.statement).run(db.prepare(bounds).get());
}
