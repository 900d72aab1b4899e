import type { KeyReader } from '../../datastore/keys.ts';
import { type Caller, isActive } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Limiter } from '../../limits/limiter.ts';

const FRESH_MS = 1_000;
const KNOWN_MAX = 10_000;

interface CachedStanding {
  isGood: Promise<boolean>;
  readAt: number;
}

/**
 * Says whether a key that was accepted once is still good: not revoked, not expired, not banned. An answer is
 * remembered for a second and shared by all streams of the key.
 */
export class KeyStanding {
  readonly #keys: KeyReader;
  readonly #limiter: Limiter;
  readonly #clock: Clock;
  readonly #known = new Map<string, CachedStanding>();

  constructor({ keys, limiter, clock }: { keys: KeyReader; limiter: Limiter; clock: Clock }) {
    this.#keys = keys;
    this.#limiter = limiter;
    this.#clock = clock;
  }

  isGood(caller: Caller): Promise<boolean> {
    const readAt = performance.now();
    const known = this.#known.get(caller.keyId);
    if (known && readAt - known.readAt < FRESH_MS) return known.isGood;
    const isGood = this.#ask(caller);
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(caller.keyId, { isGood, readAt });
    // A failure is not remembered.
    isGood.catch(() => this.#known.delete(caller.keyId));
    return isGood;
  }

  async #ask(caller: Caller): Promise<boolean> {
    const [key, verdict] = await Promise.all([
      this.#keys.find(caller.workspaceId, caller.keyId),
      this.#limiter.peek(caller),
    ]);
    if (!key || verdict.refusal?.by === 'ban') return false;
    return isActive(key, this.#clock.now());
  }
}
