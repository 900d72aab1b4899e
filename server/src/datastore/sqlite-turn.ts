// What is done once for all the reads of one turn of the event loop. Requests that came in together share the
// cost; whoever was told of a change by another process asks in a later turn.

import type Database from 'better-sqlite3';
import { failureOf } from './sqlite-runner.ts';

/** One state of the database for the reads of a turn: taking it for each of them would cost as much as reading. */
export class ReadTurn {
  readonly #db: Database.Database;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  #isOpen = false;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN');
    this.#commit = db.prepare('COMMIT');
  }

  /** Called before every read. */
  readonly enter = (): void => {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(this.end);
  };

  /** Called before every commit, so that whoever reads after it sees it. */
  readonly end = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // A read that failed may have ended it already.
    if (this.#db.open && this.#db.inTransaction) this.#commit.run();
  };
}

/** SQLite counts the changes that others than this connection have made. */
export function foreignChangesOf(db: Database.Database): () => number {
  const ask = db.prepare<[], number>('PRAGMA data_version').pluck();
  let known: number | undefined;
  const forget = () => {
    known = undefined;
  };
  return () => {
    if (known !== undefined) return known;
    try {
      known = ask.get()!;
    } catch (err) {
      throw failureOf(err);
    }
    setImmediate(forget);
    return known;
  };
}
