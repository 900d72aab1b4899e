import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UnusableDatabase } from '../failures.ts';

/**
 * Only one process may serve from a data folder, because it keeps counters in its memory. The lock is one that the
 * operating system gives back when the process ends, however it ends: an exclusive lock on an empty
 * SQLite file. The command line does not take it and works beside a running service.
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
