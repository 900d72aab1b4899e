import type { FastifyRequest } from 'fastify';
import { encodeCursor, type Position } from '../../lib/cursor.ts';
import type { Operation } from '../../operations/operation.ts';
import { cursorScope, type Filters } from '../request/paging.ts';
import { pathIn, queryIn } from '../request/url.ts';

/** The Link header of a page that has a next one. */
export function nextLink(
  operation: Operation,
  request: FastifyRequest,
  { filters, sort, position }: { filters: Filters; sort: string; position: Position },
): string {
  const cursor = encodeCursor(cursorScope(operation, filters, sort), position);
  return `<${withParameter(request.raw.url!, 'cursor', cursor)}>; rel="next"`;
}

/** The Link header of a page of the feed. It is there although nothing may follow yet. */
export function feedLink(request: FastifyRequest, cursor: string): string {
  return `<${withParameter(request.raw.url!, 'after', cursor)}>; rel="next"`;
}

/** A relative reference: behind a proxy the service knows neither the scheme nor the host that clients use. */
function withParameter(url: string, name: string, value: string): string {
  const isKept = (pair: string) => pair !== '' && nameOf(pair) !== name;
  const pairs = [...queryIn(url).split('&').filter(isKept), `${name}=${value}`];
  return `${pathIn(url)}?${pairs.join('&')}`.replace(/[<>"]/g, encodeURIComponent);
}

/** The query was parsed before, so its names can be decoded. */
function nameOf(pair: string): string {
  return decodeURIComponent(pair.split('=', 1)[0]!);
}
