import type { Datastore } from '../../datastore/datastore.ts';
import { type EventRange, NUMBERED_MAX } from '../../datastore/events.ts';
import { StorageUnavailable } from '../../datastore/failures.ts';
import type { EventRecord } from '../../domain/event.ts';

/** How many batches one read numbers. A feed that was not read for long is numbered by several reads. */
const BATCHES_MAX = 20;

export interface FeedHead {
  /** The number of the oldest event that is kept; one above `lastSequence` when none is. */
  firstSequence: number;
  lastSequence: number;
  /** Whether the read has ended before all that had arrived was numbered. The next read goes on. */
  isCut: boolean;
}

/** Called when what has arrived cannot be numbered now, so that readers get it late. */
export type OnDelay = (err: StorageUnavailable, workspaceId: number) => void;

export type FeedStore = Pick<Datastore, 'read' | 'transact'>;

/**
 * Reads the feed, with every event whose write was acknowledged before this call: events that have arrived are numbered
 * first, up to BATCHES_MAX batches of them. If they cannot be numbered now, only the numbered ones are returned.
 */
export async function readFeed(
  store: FeedStore,
  workspaceId: number,
  range: EventRange,
  onDelay?: OnDelay,
): Promise<FeedHead & { records: EventRecord[] }> {
  const { events } = store.read;
  let feed = await events.readWithHead(workspaceId, range);
  let isFull = true;
  for (let batch = 0; feed.hasArrivals && isFull && batch < BATCHES_MAX; batch += 1) {
    try {
      await store.transact((tx) => tx.events.numberArrivals(workspaceId));
    } catch (err) {
      if (!(err instanceof StorageUnavailable)) throw err;
      onDelay?.(err, workspaceId);
      return { ...feed, isCut: false };
    }
    const { lastSequence } = feed;
    feed = await events.readWithHead(workspaceId, range);
    // Less than a full batch was all there was. What has arrived since was not acknowledged before this call.
    isFull = feed.lastSequence - lastSequence >= NUMBERED_MAX;
  }
  return { ...feed, isCut: feed.hasArrivals && isFull };
}
