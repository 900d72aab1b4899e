// How an event is stored: as its text. Before it may be a line with the place of its change in a trace.

import { crc32 } from 'node:zlib';
import type { EventRecord, NewEvent } from '../domain/event.ts';
import { eventText } from '../operations/views/event.ts';

export type EventRow = readonly [sequence: number, type: string, at: number, text: string];

/** A hole as JSON. */
const HOLE = /"\\u0000\w+"/;

/** No JSON of ours has a line break. */
export function storedText(event: NewEvent): string {
  const text = eventText(event);
  return event.traceparent === undefined ? text : `${event.traceparent}\n${text}`;
}

/** The text of an event, cut at its holes. */
export function eventPieces(event: NewEvent): string[] {
  return storedText(event).split(HOLE);
}

/** SQL of the text of an event: its pieces are parameters, from `first` on, and these expressions fill its holes. */
export function textAround(first: number, fillings: readonly string[]): string {
  const rest = fillings.map((filling, at) => ` || ${filling} || $${first + at + 1}`);
  return `$${first}${rest.join('')}`;
}

export function recordOf(workspaceId: number, [sequence, type, at, stored]: EventRow): EventRecord {
  const end = stored.startsWith('{') ? -1 : stored.indexOf('\n');
  const text = end === -1 ? stored : stored.slice(end + 1);
  const traced = end === -1 ? {} : { traceparent: stored.slice(0, end) };
  return { ...traced, workspaceId, sequence, checksum: crc32(text).toString(36), type, at, text };
}
