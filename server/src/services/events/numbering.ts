import type { Job } from '../cluster/repeat-under-lease.ts';
import { numberAll, numberFeed, type OnDelay } from './read-feed.ts';

/** How soon webhooks learn of an event that no reader has numbered. */
const EVERY_MS = 250;
/** At how many workspaces with new events one look looks; the next look goes on with the others. */
const WORKSPACES_MAX = 1_000;
/** How soon events are numbered that no webhook waits for. */
const UNREAD_MS = 60_000;

/** Numbers what has arrived in feeds without a reader, so that their webhooks become due. */
export function numbering(onDelay: OnDelay): Job {
  let numberedAllAtMs = performance.now();
  let after = 0;
  const run: Job['run'] = async (store, signal) => {
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
  return { name: 'numbering', everyMs: EVERY_MS, run };
}
