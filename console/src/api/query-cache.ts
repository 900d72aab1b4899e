// Answers of the service, by operation and arguments: which are fresh, which are read again, which reads are shared.

import type { ReadOperation } from '@petstore/client';

/** The id of the operation, then its arguments. */
export type QueryKey = readonly [operation: ReadOperation, ...args: unknown[]];

export type Read<T> = (signal: AbortSignal) => PromiseLike<T>;

/** One place on the screen that shows an answer. Only an enabled one makes the cache read. */
export interface Watcher {
  isEnabled: boolean;
  onChange: () => void;
}

const FRESH_MS = 60_000;
/** How long an answer is kept that no screen shows. */
const KEEP_MS = 5 * 60_000;

/** One answer. It keeps the last data through a read that fails. */
export class CachedQuery<T> {
  readonly key: QueryKey;
  data: T | undefined;
  /** Of the last read, `null` if it succeeded. */
  error: unknown = null;
  dataUpdatedAt = 0;
  read: Read<T> | undefined;
  /** Whether it is old whatever its age: something changed, and no read has succeeded since. */
  isInvalid = false;
  readonly #watchers = new Set<Watcher>();
  readonly #onError: (err: unknown) => void;
  #pending: AbortController | undefined;
  #leftAt = Date.now();

  constructor(key: QueryKey, onError: (err: unknown) => void) {
    this.key = key;
    this.#onError = onError;
  }

  get isFetching(): boolean {
    return this.#pending !== undefined;
  }

  get isActive(): boolean {
    return [...this.#watchers].some(({ isEnabled }) => isEnabled);
  }

  get isUnused(): boolean {
    return this.#watchers.size === 0 && Date.now() - this.#leftAt > KEEP_MS;
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
      this.#leftAt = Date.now();
      if (this.#watchers.size === 0) this.abort();
    };
  }

  /** Reads unless the answer is fresh or on its way. */
  fetchIfOld(): void {
    const isOld = this.isInvalid || Date.now() - this.dataUpdatedAt > FRESH_MS;
    if (isOld && !this.isFetching) void this.fetch();
  }

  /** Reads again what the screen shows, if something changed since. */
  fetchIfInvalid(): void {
    if (this.isInvalid && this.isActive) void this.fetch();
  }

  /** Reads now. A read on its way is dropped: it may have begun before the change that this one is to show. */
  async fetch(): Promise<void> {
    this.abort();
    const pending = new AbortController();
    this.#pending = pending;
    this.isInvalid = false;
    this.#changed();
    try {
      const data = await this.read!(pending.signal);
      if (this.#pending !== pending) return;
      this.#pending = undefined;
      this.set(data);
    } catch (err) {
      if (this.#pending !== pending) return;
      this.#pending = undefined;
      this.isInvalid = true;
      this.error = err;
      this.#changed();
      this.#onError(err);
    }
  }

  set(data: T): void {
    this.data = data;
    this.error = null;
    this.dataUpdatedAt = Date.now();
    this.#changed();
  }

  /** Marks the answer as old. If the screen shows it, and it may cost a request, it is read again. */
  invalidate(mayRead: boolean): void {
    this.isInvalid = true;
    if (mayRead && this.isActive) void this.fetch();
    else this.#changed();
  }

  clear(): void {
    this.abort();
    this.data = undefined;
    this.error = null;
    this.dataUpdatedAt = 0;
    this.#changed();
  }

  /** Drops a read that is on its way. */
  abort(): void {
    if (!this.#pending) return;
    this.#pending.abort();
    this.#pending = undefined;
    this.isInvalid = true;
  }

  #changed(): void {
    for (const { onChange } of [...this.#watchers]) onChange();
  }
}

export class QueryCache {
  readonly #queries = new Map<string, CachedQuery<unknown>>();
  /** Called with the error of every read that fails. */
  onError: (err: unknown) => void = () => {};

  query<T>(key: QueryKey): CachedQuery<T> {
    const name = JSON.stringify(key);
    let query = this.#queries.get(name);
    if (!query) {
      this.#dropUnused();
      query = new CachedQuery<unknown>(key, (err) => this.onError(err));
      this.#queries.set(name, query);
    }
    return query as CachedQuery<T>;
  }

  get<T>(key: QueryKey): T | undefined {
    return this.query<T>(key).data;
  }

  /** Takes what another answer has just said. */
  set<T>(key: QueryKey, data: T): void {
    const query = this.query<T>(key);
    query.isInvalid = false;
    query.set(data);
  }

  /** The answers of an operation, or all. */
  of<T = unknown>(operation?: ReadOperation): CachedQuery<T>[] {
    const all = [...this.#queries.values()] as CachedQuery<T>[];
    return operation === undefined ? all : all.filter(({ key }) => key[0] === operation);
  }

  /** Reads all again that the screen shows and that the condition is true of. */
  refetch(condition: (query: CachedQuery<unknown>) => boolean = () => true): void {
    for (const query of this.of()) if (query.isActive && condition(query)) void query.fetch();
  }

  clear(): void {
    for (const query of this.of()) query.clear();
  }

  #dropUnused(): void {
    for (const [name, query] of this.#queries) if (query.isUnused) this.#queries.delete(name);
  }
}
