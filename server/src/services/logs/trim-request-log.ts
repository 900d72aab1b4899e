import { DAY_MS, MINUTE_MS } from '../../domain/durations.ts';
import type { Clock } from '../../lib/clock.ts';
import type { LeasedStore } from '../cluster/leases.ts';
import type { Job } from '../cluster/repeat-under-lease.ts';
import { deleteInPieces } from '../maintenance/delete-expired.ts';

/** How many requests of a workspace are kept. */
export const REQUESTS_KEPT_MAX = 100_000;
/** How many a workspace may have beyond that depends on how often they are deleted. */
const EVERY_MS = MINUTE_MS;
const OWNERS_PAGE = 1_000;
/** The rows of a workspace are looked through again once there may be more than this share of REQUESTS_KEPT_MAX. */
const SHARE_MAX = 1.1;
/** More new rows than this are not counted again with the next ones. */
const COUNTED_AGAIN_MAX = 1_000;
/** Of how many workspaces it is known how many rows they have. */
const COUNTED_MAX = 100_000;

/** A workspace has at most so many rows up to an instant, beside a few that were written late. */
interface Counted {
  rowsMax: number;
  until: number;
}

/** Deletes requests that are older than these days, or too many. */
export function trimming(clock: Clock, days: number): Job {
  let trimmedAt = 0;
  const counted = new Map<number, Counted>();
  const run: Job['run'] = async (store, signal) => {
    const now = clock.now();
    await trim(store, { before: now - days * DAY_MS, since: trimmedAt, now, counted }, signal);
    trimmedAt = now - EVERY_MS;
  };
  return { name: 'request-log', everyMs: EVERY_MS, run };
}

interface Trimming {
  before: number;
  since: number;
  now: number;
  keptMax?: number;
  counted?: Map<number, Counted>;
}

/**
 * Deletes requests before an instant, and the oldest of workspaces with too many. Only those that sent a request `since`
 * are counted: the others have no more than before.
 */
export async function trim(
  store: LeasedStore,
  { before, since, now, keptMax = REQUESTS_KEPT_MAX, counted = new Map() }: Trimming,
  signal?: AbortSignal,
): Promise<void> {
  for (let after = -1; !signal?.aborted; ) {
    const owners = await store.read.requestLog.owners(after, OWNERS_PAGE);
    for (const owner of owners) {
      const { workspaceId, oldest, newest } = owner;
      const beyond =
        newest >= since ? await findBeyond(store, owner, { now, keptMax, counted }) : 0;
      const until = Math.max(before - 1, beyond);
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

/** Up to when the rows of a workspace are too many; 0 if they are not. Of rows that were counted before, it reads none. */
async function findBeyond(
  { read }: LeasedStore,
  { workspaceId, newest }: { workspaceId: number; newest: number },
  { now, keptMax, counted }: Required<Pick<Trimming, 'now' | 'keptMax' | 'counted'>>,
): Promise<number> {
  const known = counted.get(workspaceId);
  // A row may be of the future, and the clock may have been set back.
  const until = Math.min(newest, now);
  if (known && known.until <= now) {
    const most = Math.ceil(keptMax * SHARE_MAX) - known.rowsMax;
    const added = await read.requestLog.countAfter(workspaceId, known.until, most + 1);
    if (added <= most) {
      const rowsMax = known.rowsMax + added;
      if (added > COUNTED_AGAIN_MAX) counted.set(workspaceId, { rowsMax, until });
      return 0;
    }
  }
  const place = await read.requestLog.placeOf(workspaceId, keptMax);
  if (counted.size >= COUNTED_MAX) counted.clear();
  const { rowsMax } = { rowsMax: keptMax, ...place };
  counted.set(workspaceId, { rowsMax, until });
  return 'at' in place ? place.at : 0;
}
