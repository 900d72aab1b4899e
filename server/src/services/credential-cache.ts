import type { Credential, KeyReader } from '../datastore/keys.ts';
import { Refusal } from '../domain/errors.ts';
import { type Caller, keyRefusal } from '../domain/key.ts';
import { digestOf, isWellFormedApiKey } from '../lib/api-key.ts';
import type { Clock } from '../lib/clock.ts';

interface CachedCredential {
  credential: Credential;
  readAt: number;
}

const CACHED_MAX = 10_000;
const FRESH_MS = 1_000;

/**
 * Finds the caller of a key. Credentials are cached for a second, so a change on another node or by the
 * command line takes effect within that time; a change on this node takes effect at once. Only keys that
 * exist are cached, so a flood of wrong keys evicts nothing.
 */
export class CredentialCache {
  readonly #keys: KeyReader;
  readonly #clock: Clock;
  readonly #cache = new Map<string, CachedCredential>();
  #changes = 0;

  constructor(keys: KeyReader, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Returns the caller or the refusal; a promise only when the database has to be asked. */
  identify(key: string): Caller | Refusal | Promise<Caller | Refusal> {
    const cached = this.#cache.get(key);
    const now = this.#clock.now();
    if (cached && Math.abs(now - cached.readAt) < FRESH_MS) return callerOf(cached.credential, now);
    // A mistyped key costs no look-up.
    if (!isWellFormedApiKey(key)) return new Refusal('invalid_api_key');
    return this.#read(key);
  }

  /** Empties the cache. Call it when a key, a plan or a workspace has changed. */
  clear(): void {
    this.#changes += 1;
    this.#cache.clear();
  }

  async #read(key: string): Promise<Caller | Refusal> {
    const changes = this.#changes;
    const credential = await this.#keys.findCredential(digestOf(key));
    const now = this.#clock.now();
    this.#cache.delete(key);
    if (!credential) return new Refusal('invalid_api_key');
    // What was read before a change must not be cached after it.
    if (changes !== this.#changes) return callerOf(credential, now);
    // Deleting single entries from the front of a large map gets slower with every one deleted.
    if (this.#cache.size >= CACHED_MAX) this.#cache.clear();
    this.#cache.set(key, { credential, readAt: now });
    return callerOf(credential, now);
  }
}

function callerOf(credential: Credential, now: number): Caller | Refusal {
  return keyRefusal(credential, now) ?? credential.caller;
}
