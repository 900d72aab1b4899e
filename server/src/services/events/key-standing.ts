import type { KeyReader } from '../../datastore/keys.ts';
import { Refusal } from '../../domain/errors.ts';
import { type Caller, keyRefusal } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatInstant } from '../../lib/instant.ts';
import { type Limiter, type LimitRefusal, retryAfterSeconds } from '../../limits/limiter.ts';

const FRESH_MS = 1_000;
const CACHED_MAX = 10_000;

interface CachedStanding {
  refusal: Promise<Refusal | undefined>;
  readAt: number;
}

/**
 * Says whether a key that was accepted once is still good: not revoked, not expired, not banned. The result is
 * cached for a second and shared by all streams and waiting polls of the key.
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

  async isGood(caller: Caller): Promise<boolean> {
    return (await this.findRefusal(caller)) === undefined;
  }

  /** What the next request of the key is refused with; undefined if it is still good. */
  findRefusal(caller: Caller): Promise<Refusal | undefined> {
    const readAt = performance.now();
    const cached = this.#cache.get(caller.keyId);
    if (cached && readAt - cached.readAt < FRESH_MS) return cached.refusal;
    const refusal = this.#read(caller);
    if (this.#cache.size >= CACHED_MAX) this.#cache.clear();
    this.#cache.set(caller.keyId, { refusal, readAt });
    // A failure is not cached.
    refusal.catch(() => this.#cache.delete(caller.keyId));
    return refusal;
  }

  async #read(caller: Caller): Promise<Refusal | undefined> {
    const [key, { at, refusal }] = await Promise.all([
      this.#keys.find(caller.workspaceId, caller.keyId),
      this.#limiter.peek(caller),
    ]);
    const ban = refusal?.by === 'ban' ? banned(refusal, at) : undefined;
    return keyRefusal(key, this.#clock.now()) ?? ban;
  }
}

function banned(refusal: LimitRefusal, now: number): Refusal {
  const { until, refusalsBeforeBan } = refusal;
  return new Refusal('key_banned', {
    details: { limit: 'ban', refusalsBeforeBan, until: formatInstant(until) },
    retryAfterSeconds: retryAfterSeconds(refusal, now),
  });
}
