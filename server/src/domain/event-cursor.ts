// The id of an event is the cursor of every channel: `after`, `Last-Event-ID`, `webhook-id`, `replay`.

import { invalidField } from './errors.ts';
import { eventField } from './event.ts';

/** A position in a feed: after the event with this number. */
export interface EventCursor {
  sequence: number;
  /** Ends with a checksum of the event. Absent where the client named a bare number. */
  id?: string;
}

/** Above the length of every id. */
export const CURSOR_LENGTH_MAX = 100;

const EVENT_ID = /^evt_([1-9]\d{0,15})_([1-9]\d{0,15})_[0-9a-z]{1,7}$/;
const BARE = /^(0|[1-9]\d{0,15})$/;

export function eventId({ text }: { text: string }): string {
  return eventField(text, 'id');
}

/** The cursor that a text names in the feed of this workspace; undefined when it names none. */
export function parseEventCursor(text: string, workspaceId: number): EventCursor | undefined {
  const [id, workspace, number = BARE.exec(text)?.[1]] = EVENT_ID.exec(text) ?? [];
  if (workspace !== undefined && Number(workspace) !== workspaceId) return undefined;
  const sequence = number === undefined ? Number.NaN : Number(number);
  if (!Number.isSafeInteger(sequence)) return undefined;
  return id === undefined ? { sequence } : { sequence, id };
}

/** The position after the newest event. */
export const LATEST = 'latest';

/** The cursor, or `latest`, that a request names. Refuses any other text, naming the field. */
export function readEventCursor(
  text: string,
  { workspaceId, field }: { workspaceId: number; field: string },
): EventCursor | typeof LATEST {
  if (text === LATEST) return LATEST;
  const cursor = parseEventCursor(text, workspaceId);
  if (cursor) return cursor;
  throw invalidField(
    field,
    'must be the id of an event of this workspace, its number, 0 or latest',
  );
}

export function cursorText({ sequence, id = String(sequence) }: EventCursor): string {
  return id;
}
