import type { Job } from '../cluster/repeat-under-lease.ts';
import { type FeedStore, type OnDelay, readFeed } from './read-feed.ts';

/** How soon webhooks learn of an event that no reader has numbered. */
const EVERY_MS = 250;
/** At how many workspaces with new events one look looks; the next look goes on with the others. */
const WORKSPACES_MAX = 1_000;
/** How soon events are numbered that no webhook waits for. */
const UNREAD_MS = 60_000;
/** How much of one feed is numbered before the others have their turn. */
const READS_MAX = 2;
/** How many feeds are looked up at once. */
const FEEDS_MAX = 500;

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

/** Numbers what has arrived in workspaces whose feed has no reader. Returns whether more is left. */
export async function numberAll(store: FeedStore, onDelay?: OnDelay): Promise<boolean> {
  let isLeft = false;
  for (let after = 0; ; ) {
    const found = await store.read.events.workspacesWithArrivals(after, FEEDS_MAX);
    for (const workspaceId of found) {
      if (await numberFeed(store, workspaceId, onDelay)) isLeft = true;
    }
    if (found.length < FEEDS_MAX) return isLeft;
    after = found.at(-1)!;
  }
}

/** Numbers what has arrived in a feed, up to READS_MAX times what a read does. Returns whether more is left. */
export async function numberFeed(
  store: FeedStore,
  workspaceId: number,
  onDelay?: OnDelay,
): Promise<boolean> {
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const { isCut } = await readFeed(store, workspaceId, { after: 0, limit: 0 }, onDelay);
    if (!isCut) return false;
  }
  return true;
}
