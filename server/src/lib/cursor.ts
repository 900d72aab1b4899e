import { hash } from 'node:crypto';

/** Where a page ended: the values of its last record by which the list is ordered, the id last. */
export type Position = readonly (string | number)[];

/**
 * A cursor carries a fingerprint of its query. With another filter or sort it is refused instead of paging through
 * something else. It grants nothing: the query it continues is bound to the caller's workspace.
 */
export function encodeCursor(query: string, position: Position): string {
  return Buffer.from(JSON.stringify([printOf(query), ...position])).toString('base64url');
}

/** The position, or undefined when the cursor was not made for this query. */
export function decodeCursor(query: string, cursor: string): Position | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts)) return undefined;
  const [print, ...position] = parts as unknown[];
  if (print !== printOf(query) || !position.every(isSortValue)) return undefined;
  // Several base64 texts decode to the same bytes; only the one that we write is a cursor.
  return encodeCursor(query, position) === cursor ? position : undefined;
}

function isSortValue(value: unknown): value is string | number {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return Number.isSafeInteger(value);
}

function printOf(query: string): string {
  return hash('sha256', query, 'base64url').slice(0, 8);
}
