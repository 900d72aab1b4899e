import { accessSync, chmodSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { UnusableDatabase } from '../failures.ts';
import { databaseFileIn, holdsStore, unusable } from './file.ts';
import { BUSY_MS, isBusy } from './write-lock.ts';

/**
 * Makes sure that one process at a time serves from a data folder, because a service keeps counters in memory. The lock
 * is an exclusive lock on an empty SQLite file: the operating system releases it when the process ends, also after a
 * crash. The command line does not take it and works beside a running service. Returns the function that unlocks.
 */
export function lockForServing(folder: string): () => void {
  const file = join(folder, 'serving.lock');
  if (!existsSync(file)) refuseOpenDatabase(databaseFileIn(folder));
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { timeout: 0 });
    chmodSync(file, 0o600);
    // SQLite opens a file that it may not write as read-only, and does not lock it exclusively then.
    accessSync(file, constants.W_OK);
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (err) {
    db?.close();
    if (!isBusy(err)) throw unusable(file, err);
    throw new UnusableDatabase(
      `another petstore is serving from ${folder}; stop it, or set PETSTORE_DATA_DIR to another folder`,
    );
  }
  return () => db?.close();
}

/**
 * A deleted lock file does not let a second service start: without it, the database itself must be free of connections. An
 * exclusive lock on the database shows that, and is released at once.
 */
function refuseOpenDatabase(file: string): void {
  if (!holdsStore(file)) return;
  const db = new Database(file, { timeout: BUSY_MS });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    db.exec('ROLLBACK');
  } catch (err) {
    if (!isBusy(err)) throw unusable(file, err);
    throw new UnusableDatabase(
      `serving.lock is missing and another process has ${file} open, perhaps a service; stop it, or set PETSTORE_DATA_DIR to another folder`,
    );
  } finally {
    db.close();
  }
}
