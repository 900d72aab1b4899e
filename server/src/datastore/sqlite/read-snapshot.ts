// What is done once for the reads that come together. Taking a state of the database, or asking whether another
// process has changed it, costs as much as reading a row; both hold for a turn of the event loop and for a
// millisecond at the most, which is less than it takes to hear of a change and ask for it.

import type Database from 'better-sqlite3';
import { failureOf } from './runner.ts';

const HELD_MS = 1;

/** One state of the database for the reads of a turn. */
export class ReadTurn {
  readonly #db: Database.Database;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  #isOpen = false;
  #openedAt = 0;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN');
    this.#commit = db.prepare('COMMIT');
  }

  /** Called before every read. */
  readonly enter = (): void => {
    const now = performance.now();
    if (this.#isOpen) {
      if (now - this.#openedAt < HELD_MS) return;
      this.end();
    }
    if (!this.#db.inTransaction) this.#begin.run();
    this.#isOpen = true;
    this.#openedAt = now;
    setImmediate(this.end);
  };

  /** Called before every commit, so that whoever reads after it sees it. */
  readonly end = (): void => {
    if (!this.#isOpen || !this.#db.open) return;
    this.#isOpen = false;
    // A read that failed may have ended it already.
    if (this.#db.inTransaction) this.#commit.run();
  };
}

/**
 * SQLite counts the changes that others than this connection have made. Whoever is told of one must not read a
 * state from before it, so `onChange` ends that.
 */
export function foreignChangesOf(db: Database.Database, onChange: () => void): () => number {
  const ask = db.prepare<[], number>('PRAGMA data_version').pluck();
  let known = ask.get()!;
  let askedAt = performance.now();
  return () => {
    const now = performance.now();
    if (now - askedAt < HELD_MS) return known;
    askedAt = now;
    let found: number;
    try {
      found = ask.get()!;
    } catch (err) {
      throw failureOf(err);
    }
    if (found !== known) onChange();
    known = found;
    return known;
  };
}
