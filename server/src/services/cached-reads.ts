import type { LoggedChange } from '../datastore/cluster/changes.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChangeListener } from './cluster/change-log.ts';

/** What the log of changes calls a value. */
interface Subject {
  workspaceId: number;
  keyId: string;
  /** The key whose session it is. */
  parentId?: string | undefined;
}

interface CachedReadsOptions<V> {
  clock: Clock;
  /** Whether changes are known up to now. */
  isLogRead: () => boolean;
  subjectOf: (value: V) => Subject;
}

const CACHED_MAX = 10_000;
const FRESH_MS = 60_000;

/**
 * Keeps what was read about keys for a minute. A value is dropped when its key, the key whose session it is, or its workspace
 * changes. Nothing is used while changes cannot be read.
 */
export class CachedReads<V> implements ChangeListener {
  readonly #options: CachedReadsOptions<V>;
  readonly #values = new Map<string, { value: V; readAt: number }>();
  /** The names of the values of each workspace. */
  readonly #names = new Map<number, Set<string>>();
  /** Reads under way, each with the changes that came meanwhile: it may have read what was before them. */
  readonly #reads = new Set<{ changes: LoggedChange[]; isCleared: boolean }>();

  constructor(options: CachedReadsOptions<V>) {
    this.#options = options;
  }

  get(name: string): V | undefined {
    const { clock, isLogRead } = this.#options;
    const cached = this.#values.get(name);
    if (!cached || Math.abs(clock.now() - cached.readAt) >= FRESH_MS || !isLogRead()) return;
    return cached.value;
  }

  /** Reads a value and keeps it, unless there is none or it has changed meanwhile. */
  async read(name: string, find: () => Promise<V | undefined>): Promise<V | undefined> {
    const read = { changes: [] as LoggedChange[], isCleared: false };
    this.#reads.add(read);
    try {
      const value = await find();
      this.#remove(name);
      const hasChanged = value !== undefined && read.changes.some((each) => this.#has(each, value));
      if (value !== undefined && !hasChanged && !read.isCleared) this.#keep(name, value);
      return value;
    } finally {
      this.#reads.delete(read);
    }
  }

  drop(change: LoggedChange): void {
    for (const { changes } of this.#reads) changes.push(change);
    for (const name of [...(this.#names.get(change.workspaceId) ?? [])]) {
      if (this.#has(change, this.#values.get(name)!.value)) this.#remove(name);
    }
  }

  clear(): void {
    for (const read of this.#reads) read.isCleared = true;
    this.#values.clear();
    this.#names.clear();
  }

  #has({ workspaceId, kind, subject }: LoggedChange, value: V): boolean {
    const { subjectOf } = this.#options;
    const { workspaceId: id, keyId, parentId } = subjectOf(value);
    if (id !== workspaceId) return false;
    return kind === 'workspace' || (kind === 'key' && (keyId === subject || parentId === subject));
  }

  #keep(name: string, value: V): void {
    // Deleting single entries from the front of a large map gets slower with every one deleted.
    if (this.#values.size >= CACHED_MAX) {
      this.#values.clear();
      this.#names.clear();
    }
    this.#values.set(name, { value, readAt: this.#options.clock.now() });
    const { workspaceId } = this.#options.subjectOf(value);
    const names = this.#names.get(workspaceId) ?? new Set();
    this.#names.set(workspaceId, names.add(name));
  }

  #remove(name: string): void {
    const cached = this.#values.get(name);
    if (!cached) return;
    this.#values.delete(name);
    const { workspaceId } = this.#options.subjectOf(cached.value);
    const names = this.#names.get(workspaceId)!;
    names.delete(name);
    if (names.size === 0) this.#names.delete(workspaceId);
  }
}
