import type { KeyReader } from '../../datastore/keys.ts';
import { type Caller, isActive } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Limiter } from '../../limits/limiter.ts';

const FRESH_MS = 1_000;
const CACHED_MAX = 10_000;

interface CachedStanding {
  isGood: Promise<boolean>;
  readAt: number;
}

/**
 * Says whether a key that was accepted once is still good: not revoked, not expired, not banned. The result is
 * cached for a second and shared by all streams of the key.
 */
export class KeyStanding {
  readonly #keys: KeyReader;
  readonly #limiter: Limiter;
  readonly #clock: Clock;
  readonly #cache = new Map<string, CachedStanding>();

  constructor({ keys, limiter, clock }: { keys: KeyReader; limiter: Limiter; clock: Clock }) {
    this.#keys = keys;
    this.#limiter = limiter;
    this.#clock = clock;
  }

  isGood(caller: Caller): Promise<boolean> {
    const readAt = performance.now();
    const cached = this.#cache.get(caller.keyId);
    if (cached && readAt - cached.readAt < FRESH_MS) return cached.isGood;
    const isGood = this.#read(caller);
    if (this.#cache.size >= CACHED_MAX) this.#cache.clear();
    this.#cache.set(caller.keyId, { isGood, readAt });
    // A failure is not cached.
    isGood.catch(() => this.#cache.delete(caller.keyId));
    return isGood;
  }

  async #read(caller: Caller): Promise<boolean> {
    const [key, verdict] = await Promise.all([
      this.#keys.find(caller.workspaceId, caller.keyId),
      this.#limiter.peek(caller),
    ]);
    if (!key || verdict.refusal?.by === 'ban') return false;
    return isActive(key, this.#clock.now());
  }
}
