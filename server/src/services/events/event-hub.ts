// Wakes readers that wait for events of a workspace. A commit on this node wakes them at once; a poll of the database finds
// what other nodes and the command line have written. While a workspace has subscribers, its newest events are kept in memory, so
// that a thousand streams cost one read.

import type { Datastore } from '../../datastore/datastore.ts';
import type { EventRange } from '../../datastore/events.ts';
import type { EventRecord } from '../../domain/event.ts';
import { PeriodicRun } from '../periodic-run.ts';
import { type OnDelay, readFeed } from './read-feed.ts';

const EVENTS_MAX = 1_000;
/** In characters of their texts. */
const LENGTH_MAX = 1_000_000;

/** The newest events of one feed, consecutive, the newest last. The oldest of them are dropped when it is full. */
class RecentEvents {
  readonly #records: EventRecord[] = [];
  #length = 0;

  get count(): number {
    return this.#records.length;
  }

  withoutOldest(count: number): EventRecord[] {
    return this.#records.slice(count);
  }

  add(records: readonly EventRecord[]): void {
    for (const record of records) {
      this.#records.push(record);
      this.#length += record.text.length;
    }
    while (this.count > EVENTS_MAX || this.#length > LENGTH_MAX) this.#dropOldest(1);
  }

  clear(): void {
    this.#dropOldest(this.count);
  }

  #dropOldest(count: number): void {
    for (const { text } of this.#records.splice(0, count)) this.#length -= text.length;
  }
}

interface EventHubOptions {
  store: Datastore;
  /** Called when a watched feed could not be read; the next poll tries again. */
  onFailure: (err: unknown) => void;
  onDelay?: OnDelay;
  pollMs?: number;
}

/** A feed with subscribers. */
interface Watched {
  listeners: Set<() => void>;
  recent: RecentEvents;
  /** The number of the newest event that is known, in `recent` or not; undefined until the feed was read once. */
  last: number | undefined;
  isReading: boolean;
  /** Whether to read once more: the commit that is known of may be later than the read under way. */
  isStale: boolean;
}

const POLL_MS = 250;
const PAGE = 100;

export class EventHub {
  readonly #store: Datastore;
  readonly #onFailure: (err: unknown) => void;
  readonly #onDelay: OnDelay | undefined;
  readonly #polls: PeriodicRun;
  readonly #watched = new Map<number, Watched>();

  constructor({ store, onFailure, onDelay, pollMs = POLL_MS }: EventHubOptions) {
    this.#store = store;
    this.#onFailure = onFailure;
    this.#onDelay = onDelay;
    this.#polls = new PeriodicRun(() => this.#poll(), { everyMs: pollMs, onFailure });
    void this.#polls.start();
  }

  /** Reads the feed, and reports a delay. */
  read(workspaceId: number, range: EventRange) {
    return readFeed(this.#store, workspaceId, range, this.#onDelay);
  }

  /** Call it after each commit that may have written events. If the workspace is not watched, it costs one look-up. */
  notify(workspaceId: number): void {
    const watched = this.#watched.get(workspaceId);
    if (watched) this.#refresh(workspaceId, watched);
  }

  /**
   * Calls the listener when there may be new events, which `recent` has until the last subscriber has left. Subscribe first,
   * then read: the listener is called for what is committed after the read.
   */
  subscribe(workspaceId: number, listener: () => void): () => void {
    const watched = this.#watched.get(workspaceId) ?? newlyWatched();
    this.#watched.set(workspaceId, watched);
    // Two subscribers may pass the same function.
    const entry = () => listener();
    watched.listeners.add(entry);
    return () => {
      watched.listeners.delete(entry);
      if (watched.listeners.size > 0) return;
      if (this.#watched.get(workspaceId) === watched) this.#watched.delete(workspaceId);
    };
  }

  /** The events after this number; undefined when memory does not hold all of them. */
  recent(workspaceId: number, after: number): readonly EventRecord[] | undefined {
    const watched = this.#watched.get(workspaceId);
    if (watched?.last === undefined) return undefined;
    const skipped = after - (watched.last - watched.recent.count);
    return skipped < 0 || after > watched.last ? undefined : watched.recent.withoutOldest(skipped);
  }

  close(): Promise<void> {
    return this.#polls.stop();
  }

  #refresh(workspaceId: number, watched: Watched): void {
    watched.isStale = true;
    if (watched.isReading) return;
    watched.isReading = true;
    void this.#read(workspaceId, watched).catch(this.#onFailure);
  }

  async #read(workspaceId: number, watched: Watched): Promise<void> {
    try {
      while (watched.isStale && watched.listeners.size > 0) {
        watched.isStale = false;
        const isNew = await this.#readOn(workspaceId, watched);
        if (isNew) for (const listener of [...watched.listeners]) listener();
      }
    } finally {
      // In the same microtask as the end of the loop: a notification between the two would be lost.
      watched.isReading = false;
    }
  }

  /** Reads what comes after the newest event that is known; true when the feed has changed. */
  async #readOn(workspaceId: number, watched: Watched): Promise<boolean> {
    const { last } = watched;
    const range = last === undefined ? { after: 0, limit: 0 } : { after: last, limit: PAGE };
    const { lastSequence, records, isCut } = await this.read(workspaceId, range);
    if (isCut) watched.isStale = true;
    if (lastSequence === last) return false;
    if (records.length > 0) {
      watched.recent.add(records);
      watched.last = records.at(-1)!.sequence;
      if (watched.last < lastSequence) watched.isStale = true;
    } else {
      // First read, events deleted already, or a store restored from a backup: keep none, go on from the end.
      watched.recent.clear();
      watched.last = lastSequence;
    }
    return true;
  }

  async #poll(): Promise<void> {
    if (this.#watched.size === 0) return;
    const heads = await this.#store.read.events.heads([...this.#watched.keys()]);
    for (const { workspaceId, lastSequence, hasArrivals } of heads) {
      const watched = this.#watched.get(workspaceId);
      if (watched && (hasArrivals || lastSequence !== watched.last)) {
        this.#refresh(workspaceId, watched);
      }
    }
  }
}

function newlyWatched(): Watched {
  return {
    listeners: new Set(),
    recent: new RecentEvents(),
    last: undefined,
    isReading: false,
    isStale: false,
  };
}
