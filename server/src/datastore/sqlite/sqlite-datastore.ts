// The SQLite driver: one connection that writes, one that reads, a write-ahead log, every commit flushed. Readers have
// their own connection, so they never see a half-done group of writes.

import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { Coalescer } from '../../lib/coalescer.ts';
import {
  type ChangeCounts,
  type Datastore,
  type Readers,
  readersOver,
  type Snapshot,
  type Transaction,
} from '../datastore.ts';
import { failureOf } from './failures.ts';
import { openFile } from './file.ts';
import { FileIdentity } from './file-identity.ts';
import { ForeignChanges } from './foreign-changes.ts';
import { GroupCommit } from './group-commit.ts';
import { ReadSnapshot } from './read-snapshot.ts';
import { SqliteRunner } from './runner.ts';
import { WriteTransaction } from './write-transaction.ts';

/** A snapshot reads each page once, so it keeps few. */
const SNAPSHOT_CACHE_KIB = 2_048;

export class SqliteDatastore implements Datastore {
  readonly read: Readers;
  /** A read that follows includes the changes counted. */
  readonly changes: ChangeCounts;
  readonly #writer: Database.Database;
  readonly #reader: Database.Database;
  readonly #transaction: WriteTransaction;
  readonly #commits: GroupCommit;
  readonly #identity: FileIdentity;
  readonly #file: string;
  readonly #logFile: string;
  /** Reads a row, from the file unless SQLite has its page in memory. `SELECT 1` never reads the file. */
  readonly #readRow: Database.Statement;

  constructor(file: string, coalescer: Coalescer) {
    this.#file = file;
    this.#logFile = `${file}-wal`;
    this.#writer = openFile(file);
    this.#reader = openFile(file);
    this.#reader.pragma('query_only = ON');
    this.#readRow = this.#reader.prepare('SELECT version FROM schema_migrations');
    const snapshot = new ReadSnapshot(this.#reader, coalescer);
    let own = 0;
    const foreign = new ForeignChanges(this.#writer, { coalescer, onChange: snapshot.end });
    const identity = new FileIdentity(file);
    this.#identity = identity;
    this.read = readersOver(
      new SqliteRunner(this.#reader, () => {
        identity.assertIntact();
        snapshot.enter();
      }),
    );
    this.#transaction = new WriteTransaction(this.#writer, {
      beforeCommit: () => {
        identity.check();
        snapshot.end();
        own += 1;
      },
      makeRoom: () => {
        snapshot.end();
        return this.#emptyLog();
      },
    });
    this.#commits = new GroupCommit(this.#transaction, coalescer);
    const countForeign = () => {
      identity.assertIntact();
      return foreign.count();
    };
    this.changes = { foreign: countForeign, all: () => `${own} ${countForeign()}` };
  }

  /** The log cannot be emptied while a snapshot is open, so it grows with what is written meanwhile. */
  async snapshot(): Promise<Snapshot> {
    this.#identity.check();
    const db = openFile(this.#file);
    try {
      db.pragma(`cache_size = -${SNAPSHOT_CACHE_KIB}`);
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

  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#commits.transact(work);
  }

  async ping(): Promise<undefined> {
    this.#identity.check();
    try {
      this.#readRow.get();
    } catch (err) {
      throw failureOf(err);
    }
  }

  /** Empties the log, which still holds what was deleted. */
  async tidy(): Promise<void> {
    this.#emptyLog();
  }

  /** Returns whether the log held anything and is empty now. */
  #emptyLog(): boolean {
    try {
      const before = statSync(this.#logFile).size;
      const [result] = this.#writer.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      return before > 0 && result?.busy === 0;
    } catch {
      return false;
    }
  }

  /** Commits what is queued, then closes. */
  async close(): Promise<void> {
    await this.#commits.drain();
    // Closing copies the log into the database. After a failed flush the next start must read it from the disk.
    if (this.#transaction.lost) return;
    this.#reader.close();
    this.#writer.close();
  }
}
