import {
  CHANGES_MAX,
  type ChangeReader,
  type LoggedChange,
} from '../../datastore/cluster/changes.ts';
import { PeriodicRun } from '../periodic-run.ts';

interface ChangeLogOptions {
  changes: ChangeReader;
  onFailure: (err: unknown) => void;
}

/** What is kept in memory and must be dropped when it changes. */
export interface ChangeListener {
  drop(change: LoggedChange): void;
  /** There were more changes than could be read one by one, or they could not be read. */
  clear(): void;
}

const READ_MS = 500;
const UNREAD_MAX_MS = 2_000;
/** No transaction of a node takes that long: what has not appeared by then was undone. */
const LATE_MAX_MS = 30_000;
/** How many ids are asked for that may still appear. */
const MISSING_MAX = 10_000;

/** Tells this node what has changed, on any node and by the command line. It reads the log twice a second. */
export class ChangeLog {
  readonly #options: ChangeLogOptions;
  readonly #listeners: ChangeListener[] = [];
  readonly #reads: PeriodicRun;
  /** The highest id that was read; 0 if there was none. */
  #last = 0;
  /** Ids below it without a row, and when each was noticed: a transaction under way may have drawn it. */
  readonly #missing = new Map<number, number>();
  /** Until then rows may appear that are not asked for. */
  #blindUntilMs = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ChangeLogOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#reads = new PeriodicRun(() => this.#read(), { everyMs: READ_MS, onFailure });
  }

  listen(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  start(): Promise<void> {
    return this.#reads.start();
  }

  close(): Promise<void> {
    return this.#reads.stop();
  }

  /** Whether what is kept in memory may be used. */
  readonly isRead = (): boolean => performance.now() - this.#readAtMs < UNREAD_MAX_MS;

  /** Drops what was changed before this call. Never rejects: if the log cannot be read, everything is dropped. */
  async catchUp(): Promise<void> {
    try {
      // A read under way may have begun before the change was committed.
      await this.#reads.run();
    } catch (err) {
      this.#clear();
      this.#options.onFailure(err);
    }
  }

  async #read(): Promise<void> {
    const startedAtMs = performance.now();
    const [before, missing] = [this.#last, new Set(this.#missing.keys())];
    const found = await this.#options.changes.list(before, [...missing]);
    // Otherwise the last row has become old and was deleted, or a failover has lost it: there may have been more behind it.
    const isContinued = found.some(({ id }) => id === before);
    this.#note(found, { isContinued, atMs: startedAtMs });
    this.#readAtMs = startedAtMs;
    const isAllKnown =
      found.length <= CHANGES_MAX &&
      (isContinued || before === 0) &&
      startedAtMs >= this.#blindUntilMs;
    if (!isAllKnown) return this.#clear();
    const changes = found.filter(({ id }) => id > before || missing.has(id));
    for (const change of changes) for (const listener of this.#listeners) listener.drop(change);
  }

  /** Notes which ids were read, newest first, and which of those between them may still appear. */
  #note(
    found: readonly { id: number }[],
    { isContinued, atMs }: { isContinued: boolean; atMs: number },
  ): void {
    const before = this.#last;
    this.#last = found[0]?.id ?? 0;
    const ids = new Set(found.map(({ id }) => id));
    for (const [id, noticedAtMs] of this.#missing) {
      if (ids.has(id) || noticedAtMs < atMs - LATE_MAX_MS) this.#missing.delete(id);
    }
    if (!isContinued) this.#missing.clear();
    const from = isContinued ? before : Math.max(0, this.#last - CHANGES_MAX);
    const isTooMany = this.#last - from + this.#missing.size > MISSING_MAX;
    if (isTooMany) this.#blindUntilMs = atMs + LATE_MAX_MS;
    for (let id = from + 1; !isTooMany && id < this.#last; id++) {
      if (!ids.has(id)) this.#missing.set(id, atMs);
    }
  }

  #clear(): void {
    for (const listener of this.#listeners) listener.clear();
  }
}
