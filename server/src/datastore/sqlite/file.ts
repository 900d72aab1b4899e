import { chmodSync, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { makeFolder } from '../../lib/folders.ts';
import { isDamage, RESTORE, UnusableDatabase } from '../failures.ts';
import { isDiskFull } from './failures.ts';

/** How long an opening waits for another process that creates, upgrades or closes the file. */
export const OPEN_MS = 5_000;
const CHECKED_BYTES_MAX = 16 * 1024 * 1024;
const PAGE_BYTES = 2_048;
/** The size at which the log is copied into the database. A start after a crash reads the whole log. */
const LOG_BYTES_MAX = 16 * 1024 * 1024;
const LOG_BYTES_MIN = 256 * 1024;
/** On a small disk the log takes up no more than this share of it. */
const LOG_SHARE_OF_DISK = 1 / 32;

/** The database of a data folder. */
export function databaseFileIn(folder: string): string {
  return join(folder, 'petstore.db');
}

/** Opens a database for reading and writing. A new file is readable by its owner only. */
export function openFile(file: string): Database.Database {
  const isNew = !existsSync(file);
  makeFolder(dirname(file));
  try {
    // A process that closes the last connection, or recovers the log, locks the file for a moment.
    const db = new Database(file, { timeout: OPEN_MS });
    if (isNew) chmodSync(file, 0o600);
    // Applies to a new file only. An order changes a few bytes in each of many pages, and SQLite writes whole pages.
    db.pragma(`page_size = ${PAGE_BYTES}`);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    // What is deleted is overwritten, so that nothing of an erased workspace stays in the file.
    db.pragma('secure_delete = ON');
    db.pragma('cache_size = -65536');
    limitLog(db, dirname(file));
    db.pragma('busy_timeout = 0');
    // SQLite has no clock of its own that nodes could share: the node's is the time.
    db.function('shared_now', { deterministic: true }, (nodeNow: unknown) => nodeNow);
    return db;
  } catch (err) {
    throw unusable(file, err);
  }
}

function limitLog(db: Database.Database, folder: string): void {
  const { blocks, bsize } = statfsSync(folder);
  const share = Math.max(LOG_BYTES_MIN, blocks * bsize * LOG_SHARE_OF_DISK);
  const logBytes = Math.min(LOG_BYTES_MAX, Math.floor(share));
  const pageBytes = db.pragma('page_size', { simple: true }) as number;
  db.pragma(`wal_autocheckpoint = ${Math.floor(logBytes / pageBytes)}`);
  // A long read, such as a backup, lets the log grow further. Afterwards it is cut back to this size.
  db.pragma(`journal_size_limit = ${logBytes}`);
}

/**
 * Proves that a database can be written, removes its statistics, and empties its log. A full disk is no reason to refuse: the
 * store can still be read, and writes succeed once there is room.
 */
export function prepareForServing(file: string): void {
  const db = openFile(file);
  try {
    db.pragma(`busy_timeout = ${OPEN_MS}`);
    const version = db.pragma('user_version', { simple: true }) as number;
    db.pragma(`user_version = ${version}`);
    dropStatistics(db);
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch (err) {
    if (!isDiskFull(err)) throw unusable(file, err);
  } finally {
    db.close();
  }
}

/** By statistics, which only another program makes, a plan could lead through the rows of all workspaces. */
function dropStatistics(db: Database.Database): void {
  const tables = db.prepare(
    "SELECT name FROM sqlite_master WHERE name LIKE 'sqlite^_stat%' ESCAPE '^'",
  );
  for (const table of tables.pluck().all() as string[]) db.exec(`DROP TABLE ${table}`);
}

/**
 * Checks a file through a read-only connection, before anything opens it for writing. Throws if it cannot be used, and
 * returns whether it holds a store.
 */
export function holdsStore(file: string): boolean {
  if (!existsSync(file)) return false;
  if (statSync(file).size === 0 && existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) {
    throw new UnusableDatabase(`${file} is empty but has a log: ${RESTORE}`);
  }
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, timeout: OPEN_MS });
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
  if (check !== 'ok') {
    throw new UnusableDatabase(`${file} is damaged: ${String(check)}: ${RESTORE}`);
  }
  return isOurs;
}

/** Puts the name of the file into an error, and what to do. A copy that is damaged is not restored from another. */
export function unusable(file: string, err: unknown, ofDamage = RESTORE): Error {
  if (err instanceof UnusableDatabase) return err;
  const reason = err instanceof Error ? err.message : String(err);
  // The code says more than the message: SQLITE_IOERR_SHMSIZE, for example, is a full disk.
  const code = err instanceof Database.SqliteError ? ` (${err.code})` : '';
  const isForbidden = /^(SQLITE_(CANTOPEN|READONLY)|EACCES|EROFS)/.test(
    (err as NodeJS.ErrnoException).code ?? '',
  );
  const access = 'give this user write access to its folder, or set PETSTORE_DATA_DIR to another';
  const remedy = isForbidden ? access : isDamage(err) ? ofDamage : '';
  return new UnusableDatabase(`${file} cannot be used: ${reason}${code}${remedy && `: ${remedy}`}`);
}
