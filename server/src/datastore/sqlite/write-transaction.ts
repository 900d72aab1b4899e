// The transaction of the connection that writes: it is committed as a whole, or nothing of it is.
//
// A full disk is retried once, after the log was emptied into the database, because the log may be what fills the disk.
// A failed flush is final: the kernel may have dropped the pages and report success for the next flush, so what is on the
// disk is known only after a restart. Nothing more is written, and the process ends.

import type Database from 'better-sqlite3';
import { type Transaction, transactionOver } from '../datastore.ts';
import { StorageUnavailable } from '../failures.ts';
import { failureOfCommit, isBeyondRepair, isDiskFull } from './failures.ts';
import { SqliteRunner } from './runner.ts';
import { WriteLock } from './write-lock.ts';

interface WriteTransactionOptions {
  /** Called before each commit. */
  beforeCommit: () => void;
  /** Called when the disk is full. Returns whether there is more room now. */
  makeRoom: () => boolean;
}

type Work<T> = (tx: Transaction) => Promise<T>;

export class WriteTransaction {
  readonly #db: Database.Database;
  readonly #options: WriteTransactionOptions;
  readonly #lock: WriteLock;
  readonly #tx: Transaction;
  readonly #savepoint: Record<'set' | 'rollBack' | 'release', Database.Statement>;
  readonly #commit: Database.Statement;
  #lost: StorageUnavailable | undefined;

  constructor(db: Database.Database, options: WriteTransactionOptions) {
    this.#db = db;
    this.#options = options;
    this.#lock = new WriteLock(db);
    this.#tx = transactionOver(new SqliteRunner(db), (work) => this.#attempt(work));
    this.#savepoint = {
      set: db.prepare('SAVEPOINT part'),
      rollBack: db.prepare('ROLLBACK TO part'),
      release: db.prepare('RELEASE part'),
    };
    this.#commit = db.prepare('COMMIT');
  }

  /** The failure after which this process must not write to the database any more: only a restart repairs it. */
  get lost(): StorageUnavailable | undefined {
    return this.#lost;
  }

  /** Commits the work, or changes nothing and throws StorageUnavailable. The work may run more than once. */
  async run<T>(work: Work<T>): Promise<T> {
    try {
      return await this.#try(work);
    } catch (err) {
      const { cause } = err as StorageUnavailable;
      if (!isDiskFull(cause) || !this.#options.makeRoom()) throw err;
      return this.#try(work);
    }
  }

  /** To be called after each unit. Throws if nothing more should run in the transaction. */
  assertIntact(): void {
    // After some errors SQLite rolls the transaction back. Later statements would each commit on their own.
    if (!this.#db.inTransaction) throw new StorageUnavailable('the transaction has ended');
  }

  async #try<T>(work: Work<T>): Promise<T> {
    try {
      await this.#lock.begin();
      const value = await work(this.#tx);
      this.assertIntact();
      this.#options.beforeCommit();
      this.#commit.run();
      return value;
    } catch (err) {
      const failure = failureOfCommit(err);
      this.#rollBack(failure);
      throw failure;
    }
  }

  /** If the work throws, its changes are undone and the transaction goes on. */
  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    const { set, rollBack, release } = this.#savepoint;
    run(set);
    let value: T;
    try {
      value = await work();
    } catch (err) {
      if (this.#db.inTransaction) {
        run(rollBack);
        run(release);
      }
      throw err;
    }
    run(release);
    return value;
  }

  #rollBack(failure: StorageUnavailable): void {
    try {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      if (!isBeyondRepair(failure.cause)) return;
    } catch {
      // The transaction is still open, and the next write would become part of it.
    }
    this.#lost = failure;
    setImmediate(() => {
      throw new Error('the database cannot be written any more; restart to recover', {
        cause: failure,
      });
    });
  }
}

/** If a savepoint cannot be set or undone, no part of the transaction can be trusted. */
function run(savepoint: Database.Statement): void {
  try {
    savepoint.run();
  } catch (err) {
    throw new StorageUnavailable(err);
  }
}
