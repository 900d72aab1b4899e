import type { LoggedChange } from '../datastore/cluster/changes.ts';
import type { Credential, KeyReader } from '../datastore/keys.ts';
import { Refusal } from '../domain/errors.ts';
import { type Caller, keyRefusal } from '../domain/key.ts';
import { digestOf, isWellFormedApiKey } from '../lib/api-key.ts';
import type { Clock } from '../lib/clock.ts';
import { CachedCredentials } from './cached-credentials.ts';
import type { ChangeListener } from './cluster/change-log.ts';

interface CredentialCacheOptions {
  keys: KeyReader;
  clock: Clock;
  /** Whether changes are known up to now. */
  isLogRead: () => boolean;
}

/** Finds the caller of a key. Only keys that exist are cached, so a flood of wrong keys evicts nothing. */
export class CredentialCache implements ChangeListener {
  readonly #keys: KeyReader;
  readonly #clock: Clock;
  readonly #cached: CachedCredentials;

  constructor({ keys, clock, isLogRead }: CredentialCacheOptions) {
    this.#keys = keys;
    this.#clock = clock;
    this.#cached = new CachedCredentials({ clock, isLogRead });
  }

  /** Returns the caller or the refusal; a promise only when the database has to be asked. */
  identify(key: string): Caller | Refusal | Promise<Caller | Refusal> {
    const cached = this.#cached.get(key);
    if (cached) return callerOf(cached, this.#clock.now());
    // A mistyped key costs no look-up.
    if (!isWellFormedApiKey(key)) return new Refusal('invalid_api_key');
    return this.#read(key);
  }

  drop(change: LoggedChange): void {
    this.#cached.drop(change);
  }

  clear(): void {
    this.#cached.clear();
  }

  async #read(key: string): Promise<Caller | Refusal> {
    const find = () => this.#keys.findCredential(digestOf(key));
    const credential = await this.#cached.read(key, find);
    return callerOf(credential, this.#clock.now());
  }
}

function callerOf(credential: Credential | undefined, now: number): Caller | Refusal {
  return keyRefusal(credential, now) ?? credential!.caller;
}
