import type { Ban } from './ban.ts';
import type { ActiveBan } from './limiter.ts';
import type { Counters } from './window.ts';

/**
 * Where a limiter keeps what must outlive it. Every call settles by itself, if need be by failing.
 */
export interface LimitStore {
  load(workspaceId: number): Promise<{ counters?: Counters; bans: (Ban & { keyId: string })[] }>;
  saveCounters(workspaceId: number, counters: Counters): Promise<void>;
  saveBan(keyId: string, workspaceId: number, ban: Ban): Promise<void>;
  findBan(keyId: string): Promise<(Ban & { workspaceId: number }) | undefined>;
  /** Bans that end after `now`. */
  listBans(now: number, workspaceId?: number): Promise<ActiveBan[]>;
  /** Sets the end of a ban to 0, keeping its strikes. False when the key is not banned at `now`. */
  liftBan(keyId: string, now: number): Promise<boolean>;
}
