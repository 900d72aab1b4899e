// How an event is stored: as its text. It gets its id and its number where it is numbered: here, or in SQL.

import { hash } from 'node:crypto';
import type { NewEvent } from '../domain/event.ts';
import { eventText } from '../operations/views/event.ts';

const CHECKSUM_LENGTH = 7;
/** A hole as JSON. */
const HOLE = /"\\u0000\w+"/;

/** The text that clients get, made of the text of a new event. */
export function numberedText(
  text: string,
  { workspaceId, sequence }: { workspaceId: number; sequence: number },
): string {
  const checksum = hash('sha256', text).slice(0, CHECKSUM_LENGTH);
  return `{"id":"evt_${workspaceId}_${sequence}_${checksum}","sequence":${sequence},${text.slice(1)}`;
}

/** The same in the SQL of PostgreSQL. Each argument is an expression. */
export function numberedTextSql(text: string, workspaceId: string, sequence: string): string {
  const checksum = `left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), ${CHECKSUM_LENGTH})`;
  return `'{"id":"evt_' || ${workspaceId} || '_' || ${sequence} || '_' || ${checksum} ||
    '","sequence":' || ${sequence} || ',' || substr(${text}, 2)`;
}

/** The text of an event, cut at its holes. */
export function eventPieces(event: NewEvent): string[] {
  return eventText(event).split(HOLE);
}

/** SQL of the text of an event: its pieces are parameters, from `first` on, and these expressions fill its holes. */
export function textAround(first: number, fillings: readonly string[]): string {
  const rest = fillings.map((filling, at) => ` || ${filling} || $${first + at + 1}`);
  return `$${first}${rest.join('')}`;
}
