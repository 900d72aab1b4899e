import { ConflictError, NotFoundError, SunsetError } from '../../api/errors.ts';
// The feed is read oldest first; the screen shows the newest first. A page is a range of numbers, which have no holes, so
// an older page is found without reading what lies between.

import type { PetstoreEvent as Event, ListEventsQuery } from '@petstore/client';
import { store } from '../../api/store.ts';

export type EventType = NonNullable<ListEventsQuery['type']>[number];

/** How many numbers a page has. With a filter few of them match, so it looks at more. */
const PAGE = 50;
const FILTERED_PAGE = 500;
const LIMIT = 100;
/** What a screen that stays open keeps. */
const KEPT_MAX = 200;
const CATCH_UP_PAGES = 5;

export interface Feed {
  /** Newest first. */
  events: readonly Event[];
  /** The number before the first one that was looked at. */
  from: number;
  /** The last number that was looked at. */
  to: number;
  /** Where to go on. */
  cursor: string;
}

export const pageLength = (type: EventType | undefined) =>
  type === undefined ? PAGE : FILTERED_PAGE;

interface Reading {
  type: EventType | undefined;
  signal: AbortSignal;
}

/** The newest page. What is known already is not read again: one request brings what came since. */
export async function readNewest(known: Feed | undefined, reading: Reading): Promise<Feed> {
  if (known) {
    const since = await readSince(known, reading);
    if (since) return since;
  }
  const { nextCursor = '0' } = await store.events.list(
    { after: 'latest', limit: 1 },
    { signal: reading.signal },
  );
  const to = await numberOf(nextCursor, reading.signal);
  const from = Math.max(0, to - pageLength(reading.type));
  return { ...(await readRange({ ...reading, from, to })), cursor: nextCursor };
}

/** The place of a cursor as a number. */
async function numberOf(cursor: string, signal: AbortSignal): Promise<number> {
  if (/^\d+$/.test(cursor)) return Number(cursor);
  const { sequence } = await store.events.get(cursor, { signal });
  return sequence;
}

/** What came since, before what is known; undefined if the feed cannot be continued from there. */
async function readSince(known: Feed, { type, signal }: Reading): Promise<Feed | undefined> {
  const events: Event[] = [];
  let { cursor } = known;
  try {
    for (let page = 0; page < CATCH_UP_PAGES; page++) {
      const query = { after: cursor, limit: LIMIT, ...(type && { type: [type] }) };
      const { items, nextCursor } = await store.events.list(query, { signal });
      events.push(...items);
      cursor = nextCursor ?? cursor;
      if (items.length < LIMIT) {
        const to = Math.max(known.to, events.at(-1)?.sequence ?? 0);
        const all = [...events.toReversed(), ...known.events].slice(0, KEPT_MAX);
        // Older pages go on below what is kept.
        const from = all.length < KEPT_MAX ? known.from : all.at(-1)!.sequence - 1;
        return { events: all, from, to, cursor };
      }
    }
  } catch (err) {
    if (!isLost(err)) throw err;
  }
  return undefined;
}

/** The events with the numbers behind `from` up to `to`. */
export async function readRange(reading: Reading & { from: number; to: number }): Promise<Feed> {
  const { from, to, type, signal } = reading;
  const events: Event[] = [];
  let after: string | undefined = String(from);
  let start = from;
  while (after !== undefined) {
    const query = { after, limit: LIMIT, ...(type && { type: [type] }) };
    try {
      const { items, nextCursor } = await store.events.list(query, { signal });
      events.push(...items.filter(({ sequence }) => sequence <= to));
      const isDone = type !== undefined && items.length < LIMIT;
      after = isDone || (items.at(-1)?.sequence ?? to) >= to ? undefined : nextCursor;
    } catch (err) {
      // The oldest events are no longer kept: the page begins with the first that is.
      const oldest =
        err instanceof SunsetError && err.is('events_expired')
          ? Number(err.details.oldest)
          : Number.NaN;
      if (Number.isNaN(oldest)) throw err;
      if (oldest >= to)
        return { events: [], from: oldest, to: Math.max(oldest, to), cursor: String(to) };
      start = oldest;
      after = String(oldest);
    }
  }
  // Without a filter the last event says where the feed ends.
  const end = type === undefined ? Math.min(to, events.at(-1)?.sequence ?? start) : to;
  return { events: events.toReversed(), from: start, to: end, cursor: String(end) };
}

/** Whether the feed was restored, or no longer keeps the place. */
function isLost(err: unknown): boolean {
  return err instanceof ConflictError || err instanceof SunsetError || err instanceof NotFoundError;
}
