import type { Datastore } from '../../datastore/datastore.ts';
import { type EventRange, NUMBERED_MAX } from '../../datastore/events.ts';
import { StorageUnavailable } from '../../datastore/failures.ts';
import type { EventRecord } from '../../domain/event.ts';

/** How many batches one read numbers. A feed that was not read for long is numbered by several reads. */
const BATCHES_MAX = 20;
/** How much of one feed is numbered before the others have their turn. */
const READS_MAX = 2;
/** How many feeds are looked up at once. */
const FEEDS_MAX = 500;

export interface FeedHead {
  /** The number of the oldest event that is kept; one above `lastSequence` when none is. */
  firstSequence: number;
  lastSequence: number;
  /** Whether the read has ended before all that had arrived was numbered. The next read goes on. */
  isCut: boolean;
}

/** Called when what has arrived cannot be numbered now, so that readers get it late. */
export type OnDelay = (err: StorageUnavailable, workspaceId: number) => void;

type FeedStore = Pick<Datastore, 'read' | 'transact'>;

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
