import {
  CHANGES_MAX,
  type ChangeReader,
  type LoggedChange,
} from '../../datastore/cluster/changes.ts';

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

/** Tells this node what has changed, on any node and by the command line. It reads the log twice a second. */
export class ChangeLog {
  readonly #options: ChangeLogOptions;
  readonly #listeners: ChangeListener[] = [];
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #last = 0;
  /** The ids that the last read returned. The next one returns some of them again. */
  #seen: ReadonlySet<number> = new Set();
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ChangeLogOptions) {
    this.#options = options;
  }

  listen(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  async start(): Promise<void> {
    const read = () => this.#readOnce().catch(this.#options.onFailure);
    this.#timer = setInterval(() => void read(), READ_MS).unref();
    await read();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading?.catch(() => undefined);
  }

  /** Whether what is kept in memory may be used. */
  readonly isRead = (): boolean => performance.now() - this.#readAtMs < UNREAD_MAX_MS;

  /** Drops what was changed before this call. Never rejects: if the log cannot be read, everything is dropped. */
  async catchUp(): Promise<void> {
    // A read under way may have begun before the change was committed. All that wait share the next one.
    this.#next ??= (this.#reading ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#readOnce();
      });
    try {
      await this.#next;
    } catch (err) {
      this.#clear();
      this.#options.onFailure(err);
    }
  }

  #readOnce(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const startedAtMs = performance.now();
    const changes = await this.#options.changes.list(this.#last);
    const seen = this.#seen;
    this.#seen = new Set(changes.map(({ id }) => id));
    this.#last = Math.max(this.#last, changes[0]?.id ?? 0);
    this.#readAtMs = startedAtMs;
    if (changes.length === CHANGES_MAX) return this.#clear();
    for (const change of changes) {
      if (seen.has(change.id)) continue;
      for (const listener of this.#listeners) listener.drop(change);
    }
  }

  #clear(): void {
    for (const listener of this.#listeners) listener.clear();
  }
}
