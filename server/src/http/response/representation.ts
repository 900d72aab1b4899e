import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../../contract/version.ts';
import type { Page } from '../../datastore/page.ts';
import type { Call, Operation } from '../../operations/operation.ts';
import type { FeedPage } from '../../operations/stream.ts';
import { etagOf } from '../request/conditions.ts';
import { feedLink, nextLink } from '../request/paging.ts';
import { JSON_TYPE } from './headers.ts';
import { type HttpResponse, serialiserOf } from './response.ts';

type AnyCall = Call<Record<string, unknown>, Record<string, unknown>, unknown>;
export type Represent = (value: unknown, call: AnyCall, request: FastifyRequest) => HttpResponse;

/** Turns what an operation returned into its response. */
export function representationOf(operation: Operation): Represent {
  const { success } = operation;
  if (success.kind === 'empty') return () => ({ status: 204, headers: {}, body: '' });
  if (success.kind === 'list') return listRepresentation(operation);
  if (success.kind === 'feed') return feedRepresentation;
  if (success.kind === 'event') return (text) => jsonOf(text as string);
  const { status, kind } = success;
  const serialise = serialiserOf(success.schema);
  const location = kind === 'created' ? success.location : undefined;
  return (value) => {
    const body = serialise(value);
    const headers: Record<string, string> = { 'content-type': JSON_TYPE };
    if (kind !== 'value') headers.etag = etagOf(body);
    if (location) headers.location = `${API_PREFIX}${location(value as never)}`;
    return { status, headers, body };
  };
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
  const { status, schema } = operation.success as { status: number; schema: object };
  const serialise = serialiserOf({ type: 'array', items: schema } as never);
  return (value, call, request) => {
    const { items, hasMore } = value as Page<unknown>;
    const headers: Record<string, string> = { 'content-type': JSON_TYPE };
    if (hasMore) {
      const { sort } = call.page;
      const filters = { ...call.params, ...call.query };
      const page = { filters, sort, lastItem: items.at(-1) };
      headers.link = nextLink(operation, request, page);
    }
    return { status, headers, body: serialise(items) };
  };
}
