import Database from 'better-sqlite3';
import { ConstraintViolation, OutcomeUnknown, StorageUnavailable } from '../failures.ts';

/** Translates an error of SQLite into one of the port: a fault of the storage, of the data, or of the program. */
export function failureOf(err: unknown): unknown {
  if (!(err instanceof Database.SqliteError)) return err;
  switch (err.code) {
    case 'SQLITE_CONSTRAINT_UNIQUE':
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
      return new ConstraintViolation('unique', err);
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
      return new ConstraintViolation('foreign_key', err);
    case 'SQLITE_CONSTRAINT_CHECK':
      return new ConstraintViolation('check', err);
    case 'SQLITE_ERROR':
    case 'SQLITE_RANGE':
    case 'SQLITE_MISMATCH':
      return err;
    default:
      // What else a table refuses is a fault of the program, and of no other unit in the group.
      return err.code.startsWith('SQLITE_CONSTRAINT') ? err : new StorageUnavailable(err);
  }
}

export function isDiskFull(err: unknown): boolean {
  return err instanceof Database.SqliteError && err.code === 'SQLITE_FULL';
}

/** If flushing a commit fails, only a restart shows whether the commit is in the log. */
export function failureOfCommit(err: unknown): StorageUnavailable {
  if (err instanceof StorageUnavailable) return err;
  const isInputOutput = err instanceof Database.SqliteError && err.code.startsWith('SQLITE_IOERR');
  return isInputOutput ? new OutcomeUnknown(err) : new StorageUnavailable(err);
}

/**
 * A failed flush may have lost pages that count as written. A connection that finds the file malformed, as it may after a
 * failed write, goes on finding it malformed. A restart reads what is on the disk.
 */
export function isBeyondRepair(err: unknown): boolean {
  return (
    err instanceof Database.SqliteError &&
    /^SQLITE_(IOERR_(DIR_)?FSYNC|CORRUPT.*|NOTADB)$/.test(err.code)
  );
}
