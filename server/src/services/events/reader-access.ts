import type { LoggedChange } from '../../datastore/cluster/changes.ts';
import type { Credential, KeyReader } from '../../datastore/keys.ts';
import { Refusal } from '../../domain/errors.ts';
import { type Caller, keyRefusal } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatInstant } from '../../lib/instant.ts';
import { type Limiter, type LimitRefusal, retryAfterSeconds } from '../../limits/limiter.ts';
import { CachedCredentials } from '../cached-credentials.ts';
import type { ChangeListener } from '../cluster/change-log.ts';
import { standingRefusal } from '../tenants/workspace-states.ts';

/** Bans are asked for this often. The limiter knows of them before the log of changes does. */
const FRESH_MS = 1_000;
const CACHED_MAX = 10_000;

interface CachedRefusal {
  workspaceId: number;
  refusal: Promise<Refusal | undefined>;
  readAt: number;
}

interface ReaderAccessOptions {
  keys: KeyReader;
  limiter: Limiter;
  clock: Clock;
  /** Whether changes are known up to now. */
  isLogRead: () => boolean;
}

/**
 * Says whether the key of a stream or of a waiting poll is still good: not revoked, not expired, not banned, and its
 * workspace not suspended. All streams and polls of a key share the answer for a second.
 */
export class ReaderAccess implements ChangeListener {
  readonly #options: ReaderAccessOptions;
  readonly #refusals = new Map<string, CachedRefusal>();
  readonly #credentials: CachedCredentials;

  constructor(options: ReaderAccessOptions) {
    this.#options = options;
    this.#credentials = new CachedCredentials(options);
  }

  async isGood(caller: Caller): Promise<boolean> {
    return (await this.findRefusal(caller)) === undefined;
  }

  /** What the next request of the key is refused with; undefined if it is still good. */
  findRefusal(caller: Caller): Promise<Refusal | undefined> {
    const readAt = performance.now();
    const cached = this.#refusals.get(caller.keyId);
    if (cached && readAt - cached.readAt < FRESH_MS) return cached.refusal;
    const refusal = this.#read(caller);
    if (this.#refusals.size >= CACHED_MAX) this.#refusals.clear();
    const { workspaceId } = caller;
    this.#refusals.set(caller.keyId, { workspaceId, refusal, readAt });
    // A failure is not cached.
    refusal.catch(() => this.#refusals.delete(caller.keyId));
    return refusal;
  }

  drop(change: LoggedChange): void {
    this.#credentials.drop(change);
    if (change.kind === 'webhook') return;
    // A key may have sessions, so all answers of its workspace are asked for again. Most come from memory.
    for (const [keyId, { workspaceId }] of this.#refusals) {
      if (workspaceId === change.workspaceId) this.#refusals.delete(keyId);
    }
  }

  clear(): void {
    this.#credentials.clear();
    this.#refusals.clear();
  }

  async #read(caller: Caller): Promise<Refusal | undefined> {
    const { limiter, clock } = this.#options;
    const [credential, { at, refusal }] = await Promise.all([
      this.#credentialOf(caller),
      limiter.peek(caller),
    ]);
    const standing = credential?.caller.standing;
    const suspended = standing?.state === 'suspended' ? standingRefusal(standing) : undefined;
    const ban = refusal?.by === 'ban' ? banned(refusal, at) : undefined;
    return keyRefusal(credential, clock.now()) ?? suspended ?? ban;
  }

  async #credentialOf({ workspaceId, keyId }: Caller): Promise<Credential | undefined> {
    const { keys } = this.#options;
    const find = () => keys.findCredentialOf(workspaceId, keyId);
    return this.#credentials.get(keyId) ?? this.#credentials.read(keyId, find);
  }
}

function banned(refusal: LimitRefusal, now: number): Refusal {
  const { until, refusalsBeforeBan } = refusal;
  return new Refusal('key_banned', {
    details: { limit: 'ban', refusalsBeforeBan, until: formatInstant(until) },
    retryAfterSeconds: retryAfterSeconds(refusal, now),
  });
}
