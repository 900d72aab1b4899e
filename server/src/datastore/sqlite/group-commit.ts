// Commits units of work in groups. Units that arrive in one tick of the event loop, or while a group is being
// written, wait in a queue. The next group runs each of them in a savepoint of its own, one after the other, commits
// once, and only then resolves them all. A unit that throws is rolled back to its savepoint and affects no other.
//
// If storage fails, the whole group is rejected and the next group tries again. A full disk is retried once, after the log
// was emptied into the database, because the log may be what fills the disk. The exception is a failed flush: the
// kernel may have dropped the pages and report success for the next flush, so what is on the disk is known only after
// a restart. Nothing more is written, and the process ends.

import type Database from 'better-sqlite3';
import type { Coalescer } from '../../lib/coalescer.ts';
import { type Transaction, transactionOver } from '../datastore.ts';
import { StorageUnavailable } from '../failures.ts';
import { groupFailureOf, isBeyondRepair, isDiskFull } from './failures.ts';
import { SqliteRunner } from './runner.ts';
import { Savepoints } from './savepoints.ts';
import { WriteLock } from './write-lock.ts';

const GROUP_MAX = 256;

interface Unit {
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (err: unknown) => void;
}

interface GroupCommitOptions {
  coalescer: Coalescer;
  /** Called before each commit. */
  beforeCommit: () => void;
  /** Called when the disk is full. Returns whether there is more room now. */
  makeRoom: () => boolean;
}

export class GroupCommit {
  readonly #db: Database.Database;
  readonly #options: GroupCommitOptions;
  readonly #lock: WriteLock;
  readonly #savepoints: Savepoints;
  readonly #transaction: Transaction;
  readonly #commit: Database.Statement;
  #queue: Unit[] = [];
  #isWriting = false;
  /** Set when a flush has failed. */
  #lost: StorageUnavailable | undefined;
  #onDrained: (() => void) | undefined;

  constructor(db: Database.Database, options: GroupCommitOptions) {
    this.#db = db;
    this.#options = options;
    this.#lock = new WriteLock(db);
    this.#savepoints = new Savepoints(db);
    this.#transaction = transactionOver(new SqliteRunner(db), this.#savepoints.attempt);
    this.#commit = db.prepare('COMMIT');
  }

  /** True after a failure that only a restart repairs: this process must not write to the database any more. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#lost) return reject(this.#lost);
      this.#queue.push({ work, resolve: resolve as Unit['resolve'], reject });
      if (!this.#isWriting) {
        this.#isWriting = true;
        this.#options.coalescer.atTickEnd(() => void this.#writeGroups());
      }
    });
  }

  /** Resolves when the queue is empty. */
  async drain(): Promise<void> {
    if (!this.#isWriting) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
  }

  async #writeGroups(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#writeGroup(this.#queue.splice(0, GROUP_MAX));
      // Reads that arrived meanwhile run between two groups.
      await new Promise<void>((resolve) => this.#options.coalescer.atTickEnd(resolve));
    }
    this.#isWriting = false;
    this.#onDrained?.();
  }

  async #writeGroup(group: readonly Unit[]): Promise<void> {
    let failure = await this.#tryGroup(group);
    if (failure && isDiskFull(failure.cause) && this.#options.makeRoom()) {
      failure = await this.#tryGroup(group);
    }
    if (failure) for (const unit of group) unit.reject(failure);
  }

  /** Commits the group and settles its units, or changes nothing and returns why. */
  async #tryGroup(group: readonly Unit[]): Promise<StorageUnavailable | undefined> {
    const settle: (() => void)[] = [];
    try {
      await this.#lock.begin();
      for (const unit of group) settle.push(await this.#runUnit(unit));
      this.#options.beforeCommit();
      this.#commit.run();
    } catch (err) {
      const failure = groupFailureOf(err);
      this.#rollBack(failure);
      return failure;
    }
    for (const settleUnit of settle) settleUnit();
    return undefined;
  }

  /** Runs one unit and returns what settles its promise once the group is committed. */
  async #runUnit(unit: Unit): Promise<() => void> {
    try {
      const value = await this.#savepoints.attempt(() => unit.work(this.#transaction));
      return () => unit.resolve(value);
    } catch (err) {
      // A full disk or a failed write makes SQLite drop the whole transaction, not one savepoint.
      if (!this.#db.inTransaction || err instanceof StorageUnavailable) throw err;
      return () => unit.reject(err);
    }
  }

  #rollBack(failure: StorageUnavailable): void {
    try {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      if (!isBeyondRepair(failure.cause)) return;
    } catch {
      // The transaction is still open, and the next write would become part of it.
    }
    this.#giveUp(failure);
  }

  #giveUp(failure: StorageUnavailable): void {
    this.#lost = failure;
    for (const unit of this.#queue.splice(0)) unit.reject(failure);
    setImmediate(() => {
      throw new Error('the database cannot be written any more; restart to recover', {
        cause: failure,
      });
    });
  }
}
