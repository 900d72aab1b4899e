import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UnusableDatabase } from '../failures.ts';

/**
 * Makes sure that one process at a time serves from a data folder, because a service keeps counters in memory. The lock
 * is an exclusive lock on an empty SQLite file: the operating system releases it when the process ends, also after a
 * crash. The command line does not take it and works beside a running service. Returns the function that unlocks.
 */
export function lockForServing(folder: string): () => void {
  const file = `${folder}/serving.lock`;
  const db = new Database(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch {
    db.close();
    throw new UnusableDatabase(
      `another petstore is serving from ${folder}; stop it, or set PETSTORE_DATA_DIR to another folder`,
    );
  }
  return () => db.close();
}
