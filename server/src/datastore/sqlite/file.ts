import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { UnusableDatabase } from '../failures.ts';
import { BUSY_MS } from './write-lock.ts';

const CHECKED_BYTES_MAX = 16 * 1024 * 1024;
const PAGE_BYTES = 2_048;
/** The size at which the log is copied into the database. A start after a crash reads the whole log. */
const LOG_BYTES = 16 * 1024 * 1024;

/** The database of a data folder. */
export function databaseFileIn(folder: string): string {
  return join(folder, 'petstore.db');
}

/** Opens a database for reading and writing. A new file is readable by its owner only. */
export function openFile(file: string): Database.Database {
  const isNew = !existsSync(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const db = new Database(file, { timeout: 0 });
    if (isNew) chmodSync(file, 0o600);
    // Applies to a new file only. An order changes a few bytes in each of many pages, and SQLite writes whole pages.
    db.pragma(`page_size = ${PAGE_BYTES}`);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('cache_size = -65536');
    const pageBytes = db.pragma('page_size', { simple: true }) as number;
    db.pragma(`wal_autocheckpoint = ${LOG_BYTES / pageBytes}`);
    return db;
  } catch (err) {
    throw unusable(file, err);
  }
}

/**
 * Checks a file through a read-only connection, before anything opens it for writing. Throws if it cannot be used, and
 * returns whether it holds a store.
 */
export function holdsStore(file: string): boolean {
  if (!existsSync(file)) return false;
  if (statSync(file).size === 0 && existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) {
    throw new UnusableDatabase(`${file} is empty but has a log; restore it from a backup`);
  }
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, timeout: BUSY_MS });
    return isStore(db, file);
  } catch (err) {
    throw unusable(file, err);
  } finally {
    db?.close();
  }
}

/** Refuses a database of another program, so that its tables are never mixed with ours. */
function isStore(db: Database.Database, file: string): boolean {
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  const isOurs = tables.includes('schema_migrations');
  if (tables.length > 0 && !isOurs) {
    throw new UnusableDatabase(
      `${file} is a database of another program; nothing was changed in it`,
    );
  }
  // A full check reads every page. A large store must still start at once, and reports damage when it is read.
  if (statSync(file).size > CHECKED_BYTES_MAX) return isOurs;
  const check = db.pragma('quick_check(1)', { simple: true });
  if (check !== 'ok') throw new UnusableDatabase(`${file} is damaged: ${String(check)}`);
  return isOurs;
}

/** Puts the name of the file into an error. */
export function unusable(file: string, err: unknown): Error {
  if (err instanceof UnusableDatabase) return err;
  const reason = err instanceof Error ? err.message : String(err);
  return new UnusableDatabase(`${file} cannot be used: ${reason}`);
}
