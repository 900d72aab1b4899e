import { DAY_MS, MINUTE_MS } from '../../domain/durations.ts';
import type { Clock } from '../../lib/clock.ts';
import type { FindLease, LeasedStore } from '../cluster/leases.ts';
import { repeatUnderLease } from '../cluster/repeat-under-lease.ts';
import { deleteInPieces } from '../maintenance/delete-expired.ts';

/** How many requests of a workspace are kept. */
export const REQUESTS_KEPT_MAX = 100_000;
/** How many a workspace may have beyond that depends on how often they are deleted. */
const EVERY_MS = MINUTE_MS;
const OWNERS_PAGE = 1_000;

interface TrimOptions {
  clock: Clock;
  /** How many days requests are kept. */
  days: number;
  findLease: FindLease;
  onFailure: (err: unknown) => void;
}

/** Deletes requests that are too old or too many, while this node has the lease. Returns the function that stops it. */
export function trimPeriodically({ clock, days, findLease, onFailure }: TrimOptions) {
  let trimmedAt = 0;
  return repeatUnderLease({
    job: 'request-log',
    findLease,
    everyMs: EVERY_MS,
    run: async (store, signal) => {
      const now = clock.now();
      await trim(store, { before: now - days * DAY_MS, since: trimmedAt }, signal);
      trimmedAt = now - EVERY_MS;
    },
    onFailure,
  });
}

/**
 * Deletes requests before an instant, and the oldest of workspaces with too many. Only those that sent a request `since`
 * are counted: the others have no more than before.
 */
export async function trim(
  store: LeasedStore,
  {
    before,
    since,
    keptMax = REQUESTS_KEPT_MAX,
  }: { before: number; since: number; keptMax?: number },
  signal?: AbortSignal,
): Promise<void> {
  for (let after = -1; !signal?.aborted; ) {
    const owners = await store.read.requestLog.owners(after, OWNERS_PAGE);
    for (const { workspaceId, oldest, newest } of owners) {
      const beyond =
        newest >= since ? await store.read.requestLog.placeOf(workspaceId, keptMax) : undefined;
      const until = Math.max(before - 1, beyond ?? 0);
      if (oldest > until) continue;
      await deleteInPieces(
        store,
        (tx) => tx.oldRows.remove('requests', workspaceId, until),
        signal,
      );
    }
    if (owners.length < OWNERS_PAGE) return;
    after = owners.at(-1)!.workspaceId;
  }
}
