import { readersOver, type Snapshot } from '../datastore.ts';
import { failureOf } from './failures.ts';
import { openFile } from './file.ts';
import { SqliteRunner } from './runner.ts';

/** A snapshot reads each page once, so it keeps few. */
const CACHE_KIB = 2_048;

/** The log cannot be emptied while a snapshot is open, so it grows with what is written meanwhile. */
export function openSnapshot(file: string): Snapshot {
  const db = openFile(file);
  try {
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma('query_only = ON');
    // The moment is that of the first read.
    db.exec('BEGIN');
    db.prepare('SELECT version FROM schema_migrations').get();
  } catch (err) {
    db.close();
    throw failureOf(err);
  }
  return { read: readersOver(new SqliteRunner(db)), close: async () => void db.close() };
}
