import type { LoggedChange } from '../datastore/cluster/changes.ts';
import type { Credential } from '../datastore/keys.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChangeListener } from './cluster/change-log.ts';

interface CachedCredentialsOptions {
  clock: Clock;
  /** Whether changes are known up to now. */
  isLogRead: () => boolean;
}

const CACHED_MAX = 10_000;
const FRESH_MS = 60_000;

/**
 * Keeps credentials for a minute, by names that the caller chooses. One is dropped when its key, the key whose session it is,
 * or its workspace changes. None is used while changes cannot be read. Texts of keys and ids of keys must not meet in one of
 * these: an id is no secret.
 */
export class CachedCredentials implements ChangeListener {
  readonly #options: CachedCredentialsOptions;
  readonly #cached = new Map<string, { credential: Credential; readAt: number }>();
  /** The names of the credentials of each workspace. */
  readonly #names = new Map<number, Set<string>>();
  /** Reads under way, each with the changes that came meanwhile: it may have read what was before them. */
  readonly #reads = new Set<{ changes: LoggedChange[]; isCleared: boolean }>();

  constructor(options: CachedCredentialsOptions) {
    this.#options = options;
  }

  get(name: string): Credential | undefined {
    const { clock, isLogRead } = this.#options;
    const cached = this.#cached.get(name);
    if (!cached || Math.abs(clock.now() - cached.readAt) >= FRESH_MS || !isLogRead()) return;
    return cached.credential;
  }

  /** Reads a credential and keeps it, unless there is none or it has changed meanwhile. */
  async read(
    name: string,
    find: () => Promise<Credential | undefined>,
  ): Promise<Credential | undefined> {
    const read = { changes: [] as LoggedChange[], isCleared: false };
    this.#reads.add(read);
    try {
      const credential = await find();
      this.#remove(name);
      if (!credential || read.isCleared) return credential;
      const hasChanged = read.changes.some((change) => isAbout(change, credential));
      if (!hasChanged) this.#keep(name, credential);
      return credential;
    } finally {
      this.#reads.delete(read);
    }
  }

  drop(change: LoggedChange): void {
    for (const { changes } of this.#reads) changes.push(change);
    for (const name of [...(this.#names.get(change.workspaceId) ?? [])]) {
      if (isAbout(change, this.#cached.get(name)!.credential)) this.#remove(name);
    }
  }

  clear(): void {
    for (const read of this.#reads) read.isCleared = true;
    this.#cached.clear();
    this.#names.clear();
  }

  #keep(name: string, credential: Credential): void {
    // Deleting single entries from the front of a large map gets slower with every one deleted.
    if (this.#cached.size >= CACHED_MAX) {
      this.#cached.clear();
      this.#names.clear();
    }
    this.#cached.set(name, { credential, readAt: this.#options.clock.now() });
    const { workspaceId } = credential.caller;
    const names = this.#names.get(workspaceId) ?? new Set();
    this.#names.set(workspaceId, names.add(name));
  }

  #remove(name: string): void {
    const cached = this.#cached.get(name);
    if (!cached) return;
    this.#cached.delete(name);
    const { workspaceId } = cached.credential.caller;
    const names = this.#names.get(workspaceId)!;
    names.delete(name);
    if (names.size === 0) this.#names.delete(workspaceId);
  }
}

function isAbout({ workspaceId, kind, subject }: LoggedChange, { caller }: Credential): boolean {
  if (caller.workspaceId !== workspaceId) return false;
  const isOfKey = caller.keyId === subject || caller.parentId === subject;
  return kind === 'workspace' || (kind === 'key' && isOfKey);
}
