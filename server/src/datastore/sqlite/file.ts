import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { UnusableDatabase } from '../failures.ts';

const CHECKED_BYTES_MAX = 16 * 1024 * 1024;
const BUSY_GIVE_UP_MS = 2_000;
const PAGE_BYTES = 2_048;
/** How large the log grows before it is copied into the database. A start after a crash reads all of it. */
const LOG_BYTES = 16 * 1024 * 1024;

/** Opens a database for serving, and makes a new one that only its owner may read. */
export function openFile(file: string): Database.Database {
  const isNew = !existsSync(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    const db = new Database(file, { timeout: 0 });
    if (isNew) chmodSync(file, 0o600);
    // Counts for a new file only. An order changes a few bytes in each of many pages, and whole pages are written.
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

/** Looks at a file without being able to change a byte of it, before anything else opens it. */
export function refuseUnusableFile(file: string): void {
  if (!existsSync(file)) return;
  if (statSync(file).size === 0 && existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) {
    throw new UnusableDatabase(`${file} is empty but has a log; restore it from a backup`);
  }
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, timeout: BUSY_GIVE_UP_MS });
    refuseForeignDatabase(db, file);
  } catch (err) {
    throw unusable(file, err);
  } finally {
    db?.close();
  }
}

/** A database of another program is refused, never built upon. */
function refuseForeignDatabase(db: Database.Database, file: string): void {
  const tables = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  if (tables.length > 0 && !tables.includes('schema_migrations')) {
    throw new UnusableDatabase(
      `${file} is a database of another program; nothing was changed in it`,
    );
  }
  // A full check reads every page; a large store must still start at once, and finds damage when it reads.
  if (statSync(file).size > CHECKED_BYTES_MAX) return;
  const check = db.pragma('quick_check(1)', { simple: true });
  if (check !== 'ok') throw new UnusableDatabase(`${file} is damaged: ${String(check)}`);
}

/** Names the file in whatever went wrong with it. */
export function unusable(file: string, err: unknown): Error {
  if (err instanceof UnusableDatabase) return err;
  const reason = err instanceof Error ? err.message : String(err);
  return new UnusableDatabase(`${file} cannot be used: ${reason}`);
}
