import type Database from 'better-sqlite3';
import { StorageUnavailable } from '../failures.ts';

/** Runs parts of a transaction so that each can be undone without the others. */
export class Savepoints {
  readonly #db: Database.Database;
  readonly #set: Database.Statement;
  readonly #rollBack: Database.Statement;
  readonly #release: Database.Statement;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#set = db.prepare('SAVEPOINT unit');
    this.#rollBack = db.prepare('ROLLBACK TO unit');
    this.#release = db.prepare('RELEASE unit');
  }

  /** If the work throws, its writes are undone and the transaction goes on. */
  readonly attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    run(this.#set);
    let value: T;
    try {
      value = await work();
    } catch (err) {
      if (this.#db.inTransaction) {
        run(this.#rollBack);
        run(this.#release);
      }
      throw err;
    }
    run(this.#release);
    return value;
  };
}

/** If a savepoint cannot be set or undone, no part of the transaction can be trusted. */
function run(statement: Database.Statement): void {
  try {
    statement.run();
  } catch (err) {
    throw new StorageUnavailable(err);
  }
}
