import type { PageRequest } from '../../datastore/page.ts';
import { invalidField } from '../../domain/errors.ts';
import { decodeCursor } from '../../lib/cursor.ts';
import type { Operation } from '../../operations/operation.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_DEFAULT_BY_ID = 100;

export type Filters = Record<string, unknown>;

/**
 * Takes the paging parameters out of a parsed query. A cursor is bound to the filters that are left and to the parameters
 * of the path.
 */
export function takePage(
  operation: Operation,
  { query, params }: { query: Filters; params: Filters },
): PageRequest<string> {
  const {
    limit = 'id' in query ? LIMIT_DEFAULT_BY_ID : LIMIT_DEFAULT,
    sort = operation.list?.defaultSort ?? 'id',
    cursor,
  } = query as { limit?: number; sort?: string; cursor?: string };
  delete query.limit;
  delete query.cursor;
  delete query.sort;
  if (cursor === undefined) return { limit, sort };
  const after = decodeCursor(cursorScope(operation, { ...params, ...query }, sort), cursor);
  // A client can forge a cursor, so it must have the parts that a position in this order has.
  const isKeyed = 'key' in operation.list!.positionOf({} as never, sort);
  if (!after || 'key' in after !== isKeyed) {
    throw invalidField('cursor', 'was not made for this list with these filters and this sort');
  }
  return { limit, sort, after };
}

/** What a cursor is valid for. */
export function cursorScope(operation: Operation, filters: Filters, sort: string): string {
  const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([operation.id, sort, sorted]);
}
