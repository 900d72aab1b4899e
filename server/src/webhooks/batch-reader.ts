// Takes events from the feed for one request: the next one, or as many as the webhook takes at once.

import { type EventRecord, eventField } from '../domain/event.ts';
import { eventId } from '../domain/event-cursor.ts';
import { isWanted, type WebhookRecord } from '../domain/webhook.ts';
import { formatInstant } from '../lib/instant.ts';
import type { Message } from './signing-sender.ts';

interface FeedPage {
  records: EventRecord[];
  firstSequence: number;
  lastSequence: number;
}

/** Reads the events after a number, including every event whose write was acknowledged before this call. */
export type ReadEvents = (
  workspaceId: number,
  range: { after: number; limit: number },
) => Promise<FeedPage>;

export interface EventBatch {
  /** The number of its last event. */
  last: number;
  /** The cursor after the delivery. It also skips the following events that the webhook does not want. */
  passed: number;
  records: readonly EventRecord[];
  message: Message;
  /** Whether the batch is final: no later event can join it. */
  isFull: boolean;
}

/** What follows a cursor: a batch, nothing wanted up to `passed`, or events that are no longer kept. */
type Found =
  | { kind: 'batch'; batch: EventBatch }
  | { kind: 'nothing'; passed: number }
  | { kind: 'expired' };

const BODY_BYTES_MAX = 256 * 1024;
/** The text of an instant is longest with milliseconds. */
const ENVELOPE_BYTES = batchBody(formatInstant(1), '').length;
const PAGE = 100;
/**
 * How far one search looks, so that a filter that matches nothing cannot hold it up. A search for the same batch again
 * ends where the batch ended.
 */
const SCANNED_MAX = 1_000;

export class BatchReader {
  readonly #readEvents: ReadEvents;
  /** The last page that was read: what follows a batch is mostly in it. */
  #page: FeedPage = { records: [], firstSequence: 1, lastSequence: 0 };
  #pageAfter = -1;

  constructor(readEvents: ReadEvents) {
    this.#readEvents = readEvents;
  }

  /** With `until`, finds the batch that ended there again, even if `batchMax` has changed since. */
  async find(webhook: WebhookRecord, after: number, until?: number): Promise<Found> {
    const isBatch = webhook.batchMax > 1 || until !== undefined;
    const most = until === undefined ? webhook.batchMax : Number.POSITIVE_INFINITY;
    const taken: EventRecord[] = [];
    let bytes = ENVELOPE_BYTES;
    let passed = after;
    for (;;) {
      const page = await this.#read(webhook.workspaceId, passed);
      if (page === undefined) return { kind: 'expired' };
      for (const record of page) {
        if (until !== undefined && record.sequence > until) {
          return this.#found(taken, { isBatch, isFull: true, passed });
        }
        if (isWanted(webhook, record)) {
          bytes += Buffer.byteLength(record.text) + (taken.length > 0 ? 1 : 0);
          const isTooMuch = taken.length > 0 && bytes > BODY_BYTES_MAX;
          if (isTooMuch) return this.#found(taken, { isBatch, isFull: true, passed });
          taken.push(record);
        }
        passed = record.sequence;
        if (taken.length === most) return this.#found(taken, { isBatch, isFull: true, passed });
      }
      const isFarEnough = until === undefined && passed - after >= SCANNED_MAX;
      if (page.length === 0 || isFarEnough) {
        return this.#found(taken, { isBatch, isFull: until !== undefined, passed });
      }
    }
  }

  #found(
    records: readonly EventRecord[],
    { isBatch, isFull, passed }: { isBatch: boolean; isFull: boolean; passed: number },
  ): Found {
    const [first, last] = [records[0], records.at(-1)];
    if (!first || !last) return { kind: 'nothing', passed };
    const message = isBatch ? this.#together(records) : this.#single(first);
    return { kind: 'batch', batch: { last: last.sequence, passed, records, message, isFull } };
  }

  #single(record: EventRecord): Message {
    const { sequence } = record;
    const range = { firstSequence: sequence, lastSequence: sequence };
    return { id: eventId(record), body: record.text, ...range, ...traceOf([record]) };
  }

  /** Made of the events alone, so a retry has the same bytes. */
  #together(records: readonly EventRecord[]): Message {
    const [first, last] = [records[0]!, records.at(-1)!];
    const events = records.map(({ text }) => text).join(',');
    return {
      id: `${eventId(first)}-${last.sequence}`,
      body: batchBody(eventField(last.text, 'timestamp'), events),
      firstSequence: first.sequence,
      lastSequence: last.sequence,
      ...traceOf(records),
    };
  }

  /** The events after a number; undefined when some of them are no longer kept. */
  async #read(workspaceId: number, after: number): Promise<EventRecord[] | undefined> {
    const known = this.#page.records.findIndex(({ sequence }) => sequence > after);
    const isKnown = known !== -1 && after >= this.#pageAfter;
    if (isKnown) return this.#page.records.slice(known);
    this.#page = await this.#readEvents(workspaceId, { after, limit: PAGE });
    this.#pageAfter = after;
    const { firstSequence, lastSequence, records } = this.#page;
    const isGone = lastSequence > after && firstSequence > after + 1;
    return isGone ? undefined : records;
  }
}

/** A request is part of one trace: that of its first event that is part of any. */
function traceOf(records: readonly EventRecord[]): Pick<Message, 'traceparent'> {
  const traceparent = records.find((record) => record.traceparent !== null)?.traceparent;
  return traceparent ? { traceparent } : {};
}

function batchBody(timestamp: string, events: string): string {
  return `{"type":"events.batch","timestamp":"${timestamp}","data":{"events":[${events}]}}`;
}
