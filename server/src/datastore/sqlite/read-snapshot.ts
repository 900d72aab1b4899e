import type Database from 'better-sqlite3';
import type { Coalescer } from '../../lib/coalescer.ts';

/**
 * One read transaction for all reads of a tick of the event loop: opening one costs as much as reading a row. A change by
 * another process is therefore seen at the next tick at the latest, a change by this process at once.
 */
export class ReadSnapshot {
  readonly #db: Database.Database;
  readonly #coalescer: Coalescer;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  #isOpen = false;

  constructor(db: Database.Database, coalescer: Coalescer) {
    this.#db = db;
    this.#coalescer = coalescer;
    this.#begin = db.prepare('BEGIN');
    this.#commit = db.prepare('COMMIT');
  }

  /** Called before each read. */
  readonly enter = (): void => {
    if (this.#isOpen) return;
    if (!this.#db.inTransaction) this.#begin.run();
    this.#isOpen = true;
    this.#coalescer.atTickEnd(this.end);
  };

  /** Called before each commit, so that the next read sees it. */
  readonly end = (): void => {
    if (!this.#isOpen || !this.#db.open) return;
    this.#isOpen = false;
    // SQLite ends the transaction itself after some failed reads. After others it fails the commit.
    if (!this.#db.inTransaction) return;
    try {
      this.#commit.run();
    } catch {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    }
  };
}
