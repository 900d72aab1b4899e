import type { Datastore } from '../datastore/datastore.ts';
import { Refusal } from '../domain/errors.ts';
import { CLOCK_SKEW_MAX_MS, type Clock } from '../lib/clock.ts';
import { oncePerSecond } from '../lib/once.ts';

const WARN_ABOVE_MS = 2_000;

interface StorageHealthOptions {
  store: Datastore;
  clock: Clock;
  /** Called when the clocks begin to differ by more than two seconds. */
  onClockSkew: (skewMs: number) => void;
}

/**
 * Checks that storage answers and that this node agrees with it on the time. Nodes whose clocks differ disagree about
 * when a key expires, and all nodes use one database, so its clock is the one to compare with.
 */
export class StorageHealth {
  /** How far the clock of this node is ahead of the database's; undefined where the database has none of its own. */
  clockSkewMs: number | undefined;
  /** How long storage took to answer the last check; undefined before the first. */
  delayMs: number | undefined;
  readonly #options: StorageHealthOptions;
  #isWarned = false;

  constructor(options: StorageHealthOptions) {
    this.#options = options;
  }

  /** Whether this node may do work by itself. Without a clock of the database there is none to differ from. */
  get isClockRight(): boolean {
    return Math.abs(this.clockSkewMs ?? 0) <= CLOCK_SKEW_MAX_MS;
  }

  /** Throws unless what this node writes now has the right time, as of the last check. */
  refuseWrongClock(): void {
    if (!this.isClockRight) throw clockRefusal(this.clockSkewMs!);
  }

  /** Throws unless this node can serve. All who ask within a second share one check. */
  readonly check = oncePerSecond(() => this.#check());

  async #check(): Promise<void> {
    const { store, clock, onClockSkew } = this.#options;
    const before = clock.now();
    const startedAtMs = performance.now();
    const databaseNow = await store.ping(before);
    this.delayMs = performance.now() - startedAtMs;
    if (databaseNow === undefined) return;
    const skewMs = clockSkewMs(databaseNow, before, clock.now());
    this.clockSkewMs = skewMs;
    const isSkewed = Math.abs(skewMs) > WARN_ABOVE_MS;
    if (isSkewed && !this.#isWarned) onClockSkew(skewMs);
    this.#isWarned = isSkewed;
    this.refuseWrongClock();
  }
}

/**
 * How far a clock is ahead of the database's. The database read its clock at some instant between the two readings, so any
 * time between them agrees.
 */
export function clockSkewMs(databaseNow: number, before: number, after: number): number {
  if (databaseNow < before) return before - databaseNow;
  return databaseNow > after ? after - databaseNow : 0;
}

function clockRefusal(skewMs: number): Refusal {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  return new Refusal('unavailable', {
    message: `The clock of this node is ${seconds} s ${direction} the database's; synchronise both with NTP.`,
  });
}
