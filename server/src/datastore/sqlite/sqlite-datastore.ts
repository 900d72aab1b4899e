// The SQLite driver: one writer connection, one reader connection, WAL, every commit flushed.
//
// Writes are committed in groups. Units of work that arrive while the event loop is in one turn, or while
// a group is being written, wait in a queue; the next group runs each of them in a savepoint of its own, one
// after the other, commits once, and only then resolves them all. A unit that throws is rolled back to
// its savepoint and harms no other. Readers use their own connection, so they never see a group half done.
//
// What the storage refuses is refused to the whole group, and the next group tries again. The exception is
// a flush that failed: the kernel may have dropped the pages and will call the next flush a success, so
// what is on the disk is known only after a restart. Nothing more is written, and the process ends.

import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Coalescer } from '../../lib/coalescer.ts';
import {
  type Datastore,
  type Readers,
  readersOver,
  type Transaction,
  transactionOver,
} from '../datastore.ts';
import { StorageUnavailable, UnusableDatabase } from '../failures.ts';
import { type Dialect, pendingMigrations, sqlOf } from '../migrations.ts';
import { openFile, refuseUnusableFile, unusable } from './file.ts';
import { foreignChangesOf, ReadTurn } from './read-snapshot.ts';
import { failureOf, SqliteRunner } from './runner.ts';

const dialect: Dialect = {
  id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  int: 'INTEGER',
  text: 'TEXT',
  strict: 'STRICT',
};
const GROUP_MAX = 256;
const BUSY_RETRY_MS = 10;
const BUSY_GIVE_UP_MS = 2_000;

interface Unit {
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (err: unknown) => void;
}

export class SqliteDatastore implements Datastore {
  readonly read: Readers;
  readonly #coalescer: Coalescer;
  readonly #writer: Database.Database;
  readonly #reader: Database.Database;
  readonly #transaction: Transaction;
  readonly foreignChanges: () => number;
  readonly #savepoint: Database.Statement;
  readonly #rollbackTo: Database.Statement;
  readonly #release: Database.Statement;
  readonly #begin: () => void;
  readonly #commit: () => void;
  #queue: Unit[] = [];
  #isWriting = false;
  #busySince = 0;
  #busySeenAt = -BUSY_GIVE_UP_MS;
  /** Set when a flush has failed; nothing is written any more. */
  #lost: StorageUnavailable | undefined;
  #drained: (() => void) | undefined;

  constructor(file: string, coalescer: Coalescer) {
    this.#coalescer = coalescer;
    this.#writer = openFile(file);
    this.#reader = openFile(file);
    this.#reader.pragma('query_only = ON');
    const turn = new ReadTurn(this.#reader);
    this.read = readersOver(new SqliteRunner(this.#reader, turn.enter));
    this.#transaction = transactionOver(new SqliteRunner(this.#writer), (work) =>
      this.#attempt(work),
    );
    this.#savepoint = this.#writer.prepare('SAVEPOINT unit');
    this.#rollbackTo = this.#writer.prepare('ROLLBACK TO unit');
    this.#release = this.#writer.prepare('RELEASE unit');
    const begin = this.#writer.prepare('BEGIN IMMEDIATE');
    const commit = this.#writer.prepare('COMMIT');
    this.#begin = () => void begin.run();
    this.#commit = () => {
      turn.end();
      commit.run();
    };
    this.foreignChanges = foreignChangesOf(this.#writer, turn.end);
  }

  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#lost) return reject(this.#lost);
      this.#queue.push({ work, resolve: resolve as Unit['resolve'], reject });
      if (!this.#isWriting) {
        this.#isWriting = true;
        this.#coalescer.atTickEnd(() => void this.#writeGroups());
      }
    });
  }

  async ping(): Promise<void> {
    try {
      this.#reader.prepare('SELECT 1').get();
    } catch (err) {
      throw failureOf(err);
    }
  }

  /** Finishes what was queued, then closes. */
  async close(): Promise<void> {
    if (this.#isWriting) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    // Closing would copy the log into the database; after a failed flush the next start reads it anew.
    if (this.#lost) return;
    this.#reader.close();
    this.#writer.close();
  }

  async #writeGroups(): Promise<void> {
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, GROUP_MAX);
      await this.#writeGroup(group);
      // Readers that waited get their turn between two groups.
      await new Promise<void>((resolve) => this.#coalescer.atTickEnd(resolve));
    }
    this.#isWriting = false;
    this.#drained?.();
  }

  async #writeGroup(group: Unit[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      await this.#beginWhenFree();
      for (const unit of group) settle.push(await this.#runUnit(unit));
      this.#commit();
    } catch (err) {
      const failure = err instanceof StorageUnavailable ? err : new StorageUnavailable(err);
      this.#abandon(failure);
      for (const unit of group) unit.reject(failure);
      return;
    }
    for (const tell of settle) tell();
  }

  /** Undoes the group. When that fails too, or the log could not be flushed, this process is done writing. */
  #abandon(failure: StorageUnavailable): void {
    try {
      if (this.#writer.inTransaction) this.#writer.exec('ROLLBACK');
      if (!isFailedFlush(failure.cause)) return;
    } catch {
      // The transaction is still open: whatever is written next would be part of it.
    }
    this.#lost = failure;
    for (const unit of this.#queue.splice(0)) unit.reject(failure);
    setImmediate(() => {
      throw new Error('the database cannot be written any more; restart to recover', {
        cause: failure,
      });
    });
  }

  /** Runs one unit and gives what is to be told to its caller once the group is committed. */
  async #runUnit(unit: Unit): Promise<() => void> {
    try {
      const value = await this.#attempt(() => unit.work(this.#transaction));
      return () => unit.resolve(value);
    } catch (err) {
      // A full disk or a failed write makes SQLite drop the whole transaction, not one savepoint.
      if (!this.#writer.inTransaction || err instanceof StorageUnavailable) throw err;
      return () => unit.reject(err);
    }
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    this.#mark(this.#savepoint);
    let value: T;
    try {
      value = await work();
    } catch (err) {
      if (this.#writer.inTransaction) {
        this.#mark(this.#rollbackTo);
        this.#mark(this.#release);
      }
      throw err;
    }
    this.#mark(this.#release);
    return value;
  }

  /** A savepoint that cannot be set or undone leaves no part of the group to be trusted. */
  #mark(statement: Database.Statement): void {
    try {
      statement.run();
    } catch (err) {
      throw new StorageUnavailable(err);
    }
  }

  /**
   * The command line may hold the write lock for a moment; waiting must not stop the event loop. Once it has
   * lasted too long nobody waits any more until it is free, so that those in the queue do not wait in turn.
   */
  async #beginWhenFree(): Promise<void> {
    for (;;) {
      try {
        this.#begin();
        this.#busySeenAt = -BUSY_GIVE_UP_MS;
        return;
      } catch (err) {
        const now = performance.now();
        if (now - this.#busySeenAt > BUSY_GIVE_UP_MS) this.#busySince = now;
        this.#busySeenAt = now;
        if (!isBusy(err) || now - this.#busySince > BUSY_GIVE_UP_MS) throw err;
        await new Promise((resolve) => setTimeout(resolve, BUSY_RETRY_MS));
      }
    }
  }
}

/** Brings the schema up to date, in one transaction per migration. Gives the names of those applied. */
export function migrateSqlite(file: string): string[] {
  refuseUnusableFile(file);
  const db = openFile(file);
  try {
    db.pragma(`busy_timeout = ${BUSY_GIVE_UP_MS}`);
    return db.transaction(() => applyPending(db)).immediate();
  } catch (err) {
    throw unusable(file, err);
  } finally {
    db.close();
  }
}

/**
 * Copies the database as it stands, while it is being served, into a new file. A copy that is there was
 * read back and found whole.
 */
export function backupSqlite(file: string, to: string): void {
  if (existsSync(to)) throw new UnusableDatabase(`${to} exists already; nothing was overwritten`);
  if (!existsSync(file)) throw new UnusableDatabase(`there is no database at ${file}`);
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  const db = new Database(file, { readonly: true, timeout: BUSY_GIVE_UP_MS });
  try {
    db.prepare('VACUUM INTO ?').run(partial);
    chmodSync(partial, 0o600);
    const copy = new Database(partial, { readonly: true });
    const check = copy.pragma('integrity_check(1)', { simple: true });
    copy.close();
    if (check !== 'ok') throw new UnusableDatabase(`the copy is damaged: ${String(check)}`);
    renameSync(partial, to);
  } catch (err) {
    rmSync(partial, { force: true });
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
    db.exec(sqlOf(migration, dialect));
    record.run(migration.version, migration.name, migration.checksum, Date.now());
    return migration.name;
  });
}

function isFailedFlush(err: unknown): boolean {
  return err instanceof Database.SqliteError && /^SQLITE_IOERR_(DIR_)?FSYNC$/.test(err.code);
}

function isBusy(err: unknown): boolean {
  return err instanceof Database.SqliteError && err.code.startsWith('SQLITE_BUSY');
}
