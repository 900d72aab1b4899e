import type { FindLease, LeasedStore } from '../cluster/leases.ts';
import { repeatUnderLease } from '../cluster/repeat-under-lease.ts';
import { numberAll, numberFeed, type OnDelay } from './read-feed.ts';

/** How soon webhooks learn of an event that no reader has numbered. */
const EVERY_MS = 250;
/** At how many workspaces with new events one look looks; the next look goes on with the others. */
const WORKSPACES_MAX = 1_000;
/** How soon events are numbered that no webhook waits for. */
const UNREAD_MS = 60_000;

/**
 * Numbers what has arrived in feeds without a reader, while this node has the lease, so that their webhooks become due.
 * Returns the function that stops it.
 */
export function numberPeriodically(options: {
  findLease: FindLease;
  onDelay: OnDelay;
  onFailure: (err: unknown) => void;
}): () => Promise<void> {
  const { onDelay, ...repeated } = options;
  let numberedAllAtMs = performance.now();
  let after = 0;
  const run = async (store: LeasedStore, signal: AbortSignal) => {
    if (performance.now() - numberedAllAtMs >= UNREAD_MS) {
      if (!(await numberAll(store, onDelay))) numberedAllAtMs = performance.now();
      return;
    }
    const { workspaceIds, end = 0 } = await store.read.deliveries.workspacesToNumber(
      after,
      WORKSPACES_MAX,
    );
    after = end;
    for (const workspaceId of workspaceIds) {
      if (signal.aborted) return;
      await numberFeed(store, workspaceId, onDelay);
    }
  };
  return repeatUnderLease({ job: 'numbering', everyMs: EVERY_MS, run, ...repeated });
}
