import type { Clock } from '../../lib/clock.ts';
import type { LimitStore, SavedBan } from '../limit-store.ts';

export interface BansInForceOptions {
  store: LimitStore;
  clock: Clock;
  onStoreFailure: (err: unknown) => void;
}

const REFRESH_MS = 500;
const AGE_MAX_MS = 1_000;

/** Reads the bans in force from the database, so that what a node knows is at most a second old. */
export class BansInForce {
  readonly #options: BansInForceOptions;
  readonly #onBan: (ban: SavedBan) => void;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: BansInForceOptions, onBan: (ban: SavedBan) => void) {
    this.#options = options;
    this.#onBan = onBan;
  }

  /** Returns a promise when the bans are too old to decide by; otherwise reads in the background. */
  refresh(): Promise<void> | undefined {
    const ageMs = Math.abs(this.#options.clock.now() - this.#readAt);
    if (ageMs < REFRESH_MS) return undefined;
    this.#reading ??= this.#read();
    return ageMs < AGE_MAX_MS ? undefined : this.#reading;
  }

  async #read(): Promise<void> {
    const { store, clock, onStoreFailure } = this.#options;
    const now = clock.now();
    try {
      for (const ban of await store.listBans(now)) this.#onBan(ban);
    } catch (err) {
      onStoreFailure(err);
    }
    // After a failure too: requests go on with what is known, and the next read comes in its time.
    this.#readAt = now;
    this.#reading = undefined;
  }
}
