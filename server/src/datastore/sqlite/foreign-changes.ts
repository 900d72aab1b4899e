import type Database from 'better-sqlite3';
import type { Coalescer } from '../../lib/coalescer.ts';
import { failureOf } from './failures.ts';

interface ForeignChangesOptions {
  coalescer: Coalescer;
  /** Called before a new count is returned, so that the reads that follow include the change. */
  onChange: () => void;
}

/**
 * Counts the commits that other connections than this one have made. SQLite is asked once a tick, because asking costs as
 * much as reading a row.
 */
export class ForeignChanges {
  readonly #dataVersion: Database.Statement<[], number>;
  readonly #coalescer: Coalescer;
  readonly #onChange: () => void;
  #known: number;
  #isFresh = false;

  constructor(db: Database.Database, { coalescer, onChange }: ForeignChangesOptions) {
    this.#dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
    this.#coalescer = coalescer;
    this.#onChange = onChange;
    this.#known = this.#dataVersion.get()!;
  }

  readonly count = (): number => {
    if (this.#isFresh) return this.#known;
    let found: number;
    try {
      found = this.#dataVersion.get()!;
    } catch (err) {
      throw failureOf(err);
    }
    this.#isFresh = true;
    this.#coalescer.atTickEnd(this.#expire);
    if (found !== this.#known) this.#onChange();
    this.#known = found;
    return found;
  };

  readonly #expire = (): void => {
    this.#isFresh = false;
  };
}
