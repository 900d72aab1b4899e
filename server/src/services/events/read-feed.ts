import type { Datastore } from '../../datastore/datastore.ts';
import { type EventRange, NUMBERED_MAX } from '../../datastore/events.ts';
import { StorageUnavailable } from '../../datastore/failures.ts';

/**
 * Reads the feed, with every event whose write was acknowledged before this call: events that have arrived are numbered
 * first. If they cannot be numbered now, only the numbered ones are returned.
 */
export async function readFeed(store: Datastore, workspaceId: number, range: EventRange) {
  const { events } = store.read;
  let feed = await events.readWithHead(workspaceId, range);
  for (let isFull = true; feed.hasArrivals && isFull; ) {
    try {
      await store.transact((tx) => tx.events.numberArrivals(workspaceId));
    } catch (err) {
      if (err instanceof StorageUnavailable) return feed;
      throw err;
    }
    const { lastSequence } = feed;
    feed = await events.readWithHead(workspaceId, range);
    // Less than a full batch was all there was. What has arrived since was not acknowledged before this call.
    isFull = feed.lastSequence - lastSequence >= NUMBERED_MAX;
  }
  return feed;
}

/** Numbers what has arrived in workspaces whose feed has no reader. */
export async function numberAll(store: Datastore): Promise<void> {
  for (const workspaceId of await store.read.events.workspacesWithArrivals()) {
    await readFeed(store, workspaceId, { after: 0, limit: 0 });
  }
}
