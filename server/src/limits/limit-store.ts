import type { Ban, StoredBan } from '../domain/ban.ts';
import type { Counters } from '../domain/plan.ts';

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
