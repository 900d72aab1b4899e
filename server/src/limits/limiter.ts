// The limiter port: both windows, the ban and the per-address bucket, each decided in one call, so
// that an adapter over a shared store needs one atomic round trip.

import type { Caller } from '../domain/key.ts';
import type { WindowView } from './window.ts';

export interface Verdict {
  /**
   * When it was decided, by the clock that decided it; what is left of a window counts from here.
   */
  at: number;
  /** One window per policy that applies: minute and day for a workspace, minute for an address. */
  windows: readonly WindowView[];
  refusal?: LimitRefusal;
}

export interface LimitRefusal {
  by: 'minute' | 'day' | 'ban';
  /** Epoch milliseconds of the first instant at which the same request would be admitted. */
  retryAt: number;
  /** When the window or ban that refused ends. */
  until: number;
  /**
   * How many more refusals within the minute ban the key; 0 when this one did, or a ban refused.
   */
  refusalsBeforeBan: number;
}

export interface ActiveBan {
  keyId: string;
  workspaceId: number;
  since: number;
  until: number;
  strikes: number;
}

type Eventually<T> = T | Promise<T>;

export interface Limiter {
  /**
   * Counts a request of a workspace, or refuses it and counts the refusal against its key. A cost
   * above 1 fits as a whole or not at all; one above a limit never fits.
   */
  admit(caller: Caller, cost: number): Eventually<Verdict>;
  /** The windows as they stand, and a ban if there is one; counts nothing. */
  peek(caller: Caller): Eventually<Verdict>;
  /**
   * Counts a request that no workspace answers for, in a bucket of its own (an address, a key's
   * cap).
   */
  admitBucket(bucket: string, perMinute: number): Eventually<Verdict>;
  peekBucket(bucket: string, perMinute: number): Eventually<Verdict>;
  /** Bans in force, of one workspace or of all. */
  bans(workspaceId?: number): Promise<ActiveBan[]>;
  /** False when the key is not banned. */
  lift(keyId: string): Promise<boolean>;
  /** Throws unless the limiter can decide. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
