// The limiter port. One call decides both windows and the ban, so that an adapter over a shared store
// needs one round trip.

import type { Ban, StoredBan } from '../domain/ban.ts';
import type { Caller } from '../domain/key.ts';
import type { Counters } from '../domain/plan.ts';
import type { WindowView } from './window.ts';

export interface Verdict {
  /** When it was decided, by the clock that decided. */
  at: number;
  /** Minute and day for a workspace, minute for a bucket. */
  windows: readonly WindowView[];
  refusal?: LimitRefusal;
}

export interface LimitRefusal {
  by: 'minute' | 'day' | 'ban';
  /** When the same request would be admitted, if nothing else is sent. */
  retryAt: number;
  /** When the window or ban that refused ends. */
  until: number;
  /** How many more refusals ban the key; 0 when this one did, or when a ban refused. */
  refusalsBeforeBan: number;
}

/** What Retry-After says. Rounded up, so that a client that waits for it is never early. */
export function retryAfterSeconds({ retryAt }: LimitRefusal, now: number): number {
  return Math.max(1, Math.ceil((retryAt - now) / 1000));
}

export type ActiveBan = Omit<StoredBan, 'quietSince'>;

type Eventually<T> = T | Promise<T>;

export interface Limiter {
  /**
   * Counts a request of a workspace, or refuses it and counts the refusal against its key. A cost
   * above 1 fits as a whole or not at all.
   */
  admit(caller: Caller, cost: number): Eventually<Verdict>;
  /**
   * Decides a request again once its cost is known. It was admitted at a cost of 1, which `cost` includes.
   * If `cost` does not fit, that 1 is given back, so a refusal costs nothing.
   */
  readmit(caller: Caller, cost: number, admitted: Verdict): Eventually<Verdict>;
  /** Returns the windows, and a refusal if the key is banned; counts nothing. */
  peek(caller: Caller): Eventually<Verdict>;
  /** Counts a request in a bucket of its own: an address, or a cap of a key. */
  admitBucket(bucket: string, perMinute: number): Eventually<Verdict>;
  /** Counts nothing and never refuses. */
  peekBucket(bucket: string, perMinute: number): Eventually<Verdict>;
  /** The bans in force of a workspace. */
  bans(workspaceId: number): Promise<ActiveBan[]>;
  /** A ban with the end that it has by the clock that decides. */
  view(ban: StoredBan): ActiveBan;
  /** Forgets a ban that was just lifted in the database. Other processes notice the lift by themselves. */
  lift(keyId: string): Promise<void>;
  close(): Promise<void>;
}

/** The settings name a store that this node can never share. The message says what to set. */
export class UnusableLimiterStore extends Error {}

/** Where a limiter keeps what must survive the process. No call waits for ever: it fails instead. */
export interface LimitStore {
  /** Returns every ban of the workspace, including those that are over: their strikes still count. */
  load(workspaceId: number): Promise<{ counters?: Counters; bans: StoredBan[] }>;
  /** The requests admitted in the day that begins at `dayStart`, as far as they were written. */
  countAdmitted(workspaceId: number, dayStart: number): Promise<number>;
  saveCounters(workspaceId: number, counters: Counters): Promise<void>;
  saveBan(keyId: string, workspaceId: number, ban: Ban): Promise<void>;
  findBan(keyId: string): Promise<StoredBan | undefined>;
  /** Bans that end after `now`. */
  listBans(now: number, workspaceId?: number): Promise<StoredBan[]>;
}
