// Reads the feed for clients: checks the cursor that they continue from, filters by type, and waits for new events. No event
// is skipped silently: a cursor is refused if the events after it are no longer kept, or if this feed never had it.

import { setImmediate } from 'node:timers/promises';
import type { Datastore } from '../../datastore/datastore.ts';
import { notFound, Refusal } from '../../domain/errors.ts';
import { type EventRecord, eventField, type TypeFilter } from '../../domain/event.ts';
import { cursorText, type EventCursor, eventId, LATEST } from '../../domain/event-cursor.ts';
import type { EventHub } from './event-hub.ts';
import type { FeedHead } from './read-feed.ts';

interface EventQuery {
  workspaceId: number;
  /** Absent: before the oldest event that is kept. */
  after?: EventCursor | typeof LATEST | undefined;
  /** Absent: all. */
  types?: TypeFilter | undefined;
  limit: number;
}

interface EventPage {
  records: EventRecord[];
  /** The position up to which events were examined, even if none matched. */
  cursor: EventCursor;
  /** Whether there is more after the cursor already. */
  hasMore: boolean;
}

interface Wait {
  ms: number;
  onEnd: (end: () => void) => void;
}

/** How many events one request scans, whatever its filter. */
const SCANNED_MAX = 1_000;

export class EventFeed {
  readonly hub: EventHub;
  readonly #store: Datastore;

  constructor(store: Datastore, hub: EventHub) {
    this.#store = store;
    this.hub = hub;
  }

  async list(query: EventQuery): Promise<EventPage> {
    const { workspaceId, after, limit, types } = query;
    if (after === LATEST) return this.#latest(workspaceId);
    const scanMax = types ? SCANNED_MAX : limit;
    // The event at the cursor comes along, so that its id can be compared.
    const from = Math.max(0, (after?.sequence ?? 0) - 1);
    const range = { after: from, limit: scanMax + 1 };
    const { records, ...head } = await this.hub.read(workspaceId, range);
    const start = after ?? { sequence: head.firstSequence - 1 };
    const [found] = records;
    refuseUnknown(start, found, head);
    // A bare number becomes a full cursor, so that a restored store can be detected later.
    const at = found?.sequence === start.sequence ? cursorOf(found) : start;
    const following = records.filter(({ sequence }) => sequence > start.sequence).slice(0, scanMax);
    return eventPageOf(following, { start: at, head, limit, types });
  }

  /**
   * Like `list`, but from memory if that holds every event after the cursor. For subscribers at the end of the feed.
   */
  async listRecent(query: EventQuery & { after: EventCursor }): Promise<EventPage> {
    const { workspaceId, after, limit, types } = query;
    const recent = this.hub.recent(workspaceId, after.sequence);
    if (!recent) return this.list(query);
    const lastSequence = after.sequence + recent.length;
    const following = recent.slice(0, types ? SCANNED_MAX : limit);
    const head = { firstSequence: 1, lastSequence, isCut: false };
    return eventPageOf(following, { start: after, head, limit, types });
  }

  /**
   * Like `list`, but waits for the first event that passes the filter. `onEnd` gets the function that ends the wait
   * with an empty page.
   */
  async wait(query: EventQuery, { ms, onEnd }: Wait): Promise<EventPage> {
    let isOver = false;
    let wake = () => {};
    const end = () => {
      isOver = true;
      wake();
    };
    const timer = setTimeout(end, ms);
    const unsubscribe = this.hub.subscribe(query.workspaceId, () => wake());
    onEnd(end);
    try {
      let woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      let page = await this.list(query);
      while (page.records.length === 0 && !isOver) {
        // SQLite answers at once: without a pause, nothing else would run until the end of the feed is reached.
        await (page.hasMore ? setImmediate() : woken);
        woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        page = await this.listRecent({ ...query, after: page.cursor });
      }
      return page;
    } finally {
      clearTimeout(timer);
      unsubscribe();
    }
  }

  /** The event that the cursor names. */
  async get(workspaceId: number, cursor: EventCursor): Promise<EventRecord> {
    const range = { after: cursor.sequence - 1, limit: 1 };
    const { records, ...head } = await this.hub.read(workspaceId, range);
    if (cursor.sequence < 1 || cursor.sequence > head.lastSequence) {
      throw notFound('event', cursorText(cursor));
    }
    if (cursor.sequence < head.firstSequence) throw expired(head);
    const record = records[0]!;
    if (isOther(record, cursor)) throw unknown(head);
    return record;
  }

  /** The end of the feed, as a cursor. */
  async latest(workspaceId: number): Promise<string> {
    return cursorText((await this.#latest(workspaceId)).cursor);
  }

  async #latest(workspaceId: number): Promise<EventPage> {
    const { lastSequence } = await this.hub.read(workspaceId, { after: 0, limit: 0 });
    const [last] = await this.#store.read.events.page(workspaceId, {
      after: lastSequence - 1,
      limit: 1,
    });
    const cursor = last ? cursorOf(last) : { sequence: lastSequence };
    return { records: [], cursor, hasMore: false };
  }
}

export function cursorOf(record: EventRecord): EventCursor {
  return { sequence: record.sequence, id: eventId(record) };
}

/** Whether a cursor names another event with the number of this one, as after a restore. */
function isOther(record: EventRecord | undefined, { sequence, id }: EventCursor): boolean {
  return record?.sequence === sequence && id !== undefined && id !== eventId(record);
}

interface Scanned {
  start: EventCursor;
  head: FeedHead;
  limit: number;
  types: TypeFilter | undefined;
}

/** Takes up to `limit` events of those that were scanned, and says how far that is. */
function eventPageOf(following: readonly EventRecord[], scanned: Scanned): EventPage {
  const { start, head, limit, types } = scanned;
  const records: EventRecord[] = [];
  let last: EventRecord | undefined;
  for (const record of following) {
    if (records.length === limit) break;
    last = record;
    if (!types || types(eventField(record.text, 'type'))) records.push(record);
  }
  const cursor = last ? cursorOf(last) : start;
  return { records, cursor, hasMore: head.isCut || cursor.sequence < head.lastSequence };
}

function refuseUnknown(start: EventCursor, found: EventRecord | undefined, head: FeedHead): void {
  if (start.sequence < head.firstSequence - 1) throw expired(head);
  if (start.sequence > head.lastSequence) throw unknown(head);
  if (isOther(found, start)) throw unknown(head);
}

function expired(head: FeedHead): Refusal {
  return new Refusal('events_expired', { details: cursorsOf(head) });
}

function unknown(head: FeedHead): Refusal {
  return new Refusal('cursor_unknown', { details: cursorsOf(head) });
}

/** Before the oldest event that is kept, and after the newest. */
function cursorsOf({ firstSequence, lastSequence }: FeedHead) {
  const textOf = (sequence: number) => cursorText({ sequence });
  return { oldest: textOf(firstSequence - 1), latest: textOf(lastSequence) };
}
