import { hash } from 'node:crypto';

/** Where a page ended: the sort key of its last record, and that record's id. */
export interface Position {
  key?: string;
  id: number;
}

/**
 * A cursor carries a fingerprint of its query. With another filter or sort it is refused instead of paging through
 * something else. It grants nothing: the query it continues is bound to the caller's workspace.
 */
export function encodeCursor(query: string, position: Position): string {
  const parts = [
    printOf(query),
    position.id,
    ...(position.key === undefined ? [] : [position.key]),
  ];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
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
  const [print, id, key] = parts as unknown[];
  if (print !== printOf(query) || !Number.isSafeInteger(id)) return undefined;
  if (key !== undefined && (typeof key !== 'string' || !key.isWellFormed())) return undefined;
  if (typeof key === 'string' && key.includes('\0')) return undefined;
  const position = key === undefined ? { id: id as number } : { id: id as number, key };
  // Several base64 texts decode to the same bytes; only the one that we write is a cursor.
  return encodeCursor(query, position) === cursor ? position : undefined;
}

function printOf(query: string): string {
  return hash('sha256', query, 'base64url').slice(0, 8);
}
