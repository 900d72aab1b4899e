import type { FastifyRequest } from 'fastify';
import type { PageRequest } from '../../datastore/page.ts';
import { invalidField } from '../../domain/errors.ts';
import { decodeCursor, encodeCursor, type Position } from '../../lib/cursor.ts';
import type { Operation } from '../../operations/operation.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_DEFAULT_BY_ID = 100;

type Filters = Record<string, unknown>;

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

/** The Link header of a page that has a next one. */
export function nextLink(
  operation: Operation,
  request: FastifyRequest,
  { filters, sort, position }: { filters: Filters; sort: string; position: Position },
): string {
  const cursor = encodeCursor(cursorScope(operation, filters, sort), position);
  return `<${withParameter(request.raw.url!, 'cursor', cursor)}>; rel="next"`;
}

/** What a cursor is valid for. */
function cursorScope(operation: Operation, filters: Filters, sort: string): string {
  const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([operation.id, sort, sorted]);
}

/** The Link header of a page of the feed. It is there although nothing may be behind it yet. */
export function feedLink(request: FastifyRequest, cursor: string): string {
  return `<${withParameter(request.raw.url!, 'after', cursor)}>; rel="next"`;
}

/** A relative reference: behind a proxy the service knows neither the scheme nor the host that clients use. */
function withParameter(url: string, name: string, value: string): string {
  const [path, search = ''] = url.split('?') as [string, string?];
  const isKept = (pair: string) => pair !== '' && pair !== name && !pair.startsWith(`${name}=`);
  const pairs = [...search.split('&').filter(isKept), `${name}=${value}`];
  return `${path}?${pairs.join('&')}`.replace(/[<>"]/g, encodeURIComponent);
}
