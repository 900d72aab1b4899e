import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../../contract/version.ts';
import type { Page } from '../../datastore/list.ts';
import { encodeCursor, type Position } from '../../lib/cursor.ts';
import type { Operation } from '../../operations/operation.ts';
import type { FeedPage, Put } from '../../operations/success.ts';
import { type AnyCall, cursorScope, type Filters } from '../request/call.ts';
import { etagOf } from '../request/conditions.ts';
import { pathIn, queryIn } from '../request/url.ts';
import { type HttpResponse, JSON_TYPE } from './headers.ts';

type Represent = (value: unknown, call: AnyCall, request: FastifyRequest) => HttpResponse;

/** Turns what an operation returned into its response. */
export function representationOf(operation: Operation): Represent {
  const { success } = operation;
  if (success.kind === 'empty') return () => ({ status: 204, headers: {}, body: '' });
  if (success.kind === 'put') return putRepresentation(success.location);
  if (success.kind === 'list') return listRepresentation(operation);
  if (success.kind === 'feed') return feedRepresentation;
  if (success.kind === 'event') return (text) => jsonOf(text as string);
  const { status, kind } = success;
  const { isPast } = operation;
  const version = 'version' in success ? success.version : undefined;
  const location = kind === 'created' ? success.location : undefined;
  return (value, { query }) => {
    const body = JSON.stringify(value);
    const headers: Record<string, string> = { 'content-type': JSON_TYPE };
    if (kind !== 'value' && !isPast?.(query)) {
      headers.etag = etagOf(version ? JSON.stringify(version(value as never)) : body);
    }
    if (location) headers.location = `${API_PREFIX}${location(value as never)}`;
    return { status, headers, body };
  };
}

/** Turns what a dry run returned into its response. It has no ETag: no stored record matches it. */
export function previewRepresentationOf(operation: Operation): (value: unknown) => HttpResponse {
  const { preview, success } = operation;
  if (!preview) return () => ({ status: 204, headers: {}, body: '' });
  const statusOf = (value: unknown) => (success.kind === 'put' ? putStatus(value) : 200);
  return (value) => ({
    ...jsonOf(JSON.stringify(preview(value as never))),
    status: statusOf(value),
  });
}

function putRepresentation(location: (record: never) => string): Represent {
  return (value) => {
    const { record } = value as Put<never>;
    const body = JSON.stringify(record);
    const headers = { 'content-type': JSON_TYPE, etag: etagOf(body) };
    const path = `${API_PREFIX}${location(record)}`;
    return { status: putStatus(value), headers: { ...headers, location: path }, body };
  };
}

function putStatus(value: unknown): number {
  return (value as Put<never>).isNew ? 201 : 200;
}

/** Events are text already, the same that streams and webhooks send. */
function feedRepresentation(value: unknown, _: AnyCall, request: FastifyRequest): HttpResponse {
  const { events, cursor } = value as FeedPage;
  const { status, headers, body } = jsonOf(`[${events.join(',')}]`);
  const link = feedLink(request, cursor);
  return { status, headers: { ...headers, link, 'events-cursor': cursor }, body };
}

function jsonOf(body: string): HttpResponse {
  return { status: 200, headers: { 'content-type': JSON_TYPE }, body };
}

function listRepresentation(operation: Operation): Represent {
  return (value, call, request) => {
    const { items, hasMore, end } = value as Page<unknown>;
    const headers: Record<string, string> = { 'content-type': JSON_TYPE };
    if (hasMore) {
      const { sort } = call.page;
      const filters = { ...call.params, ...call.query };
      headers.link = nextLink(operation, request, { filters, sort, position: end! });
    }
    return { status: 200, headers, body: JSON.stringify(items) };
  };
}

/** The Link header of a page that has a next one. */
function nextLink(
  operation: Operation,
  request: FastifyRequest,
  { filters, sort, position }: { filters: Filters; sort: string; position: Position },
): string {
  const cursor = encodeCursor(cursorScope(operation, filters, sort), position);
  return `<${withParameter(request.raw.url!, 'cursor', cursor)}>; rel="next"`;
}

/** The Link header of a page of the feed. It is there although nothing may follow yet. */
function feedLink(request: FastifyRequest, cursor: string): string {
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
