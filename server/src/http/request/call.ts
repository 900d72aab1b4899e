import type { FastifyRequest } from 'fastify';
import { invalidCursor, type PageRequest } from '../../datastore/list.ts';
import type { Caller } from '../../domain/key.ts';
import type { Author } from '../../domain/logs/audit.ts';
import { NO_WORKSPACE } from '../../domain/workspace.ts';
import { decodeCursor } from '../../lib/cursor.ts';
import { plainAddress } from '../../lib/network/address-bucket.ts';
import { formatTraceParent } from '../../lib/traceparent.ts';
import type { Call, Dependencies, Operation } from '../../operations/operation.ts';
import {
  LIMIT_DEFAULT,
  LIMIT_MAX,
  namingFilters,
  pagingParameters,
} from '../../operations/parameters.ts';
import { bodyChecker, checkNoBody } from '../../operations/schemas/validator.ts';
import type { ParsedBody } from './body.ts';
import { conditionsOf } from './conditions.ts';
import { parsePathParameters, parseQuery, queryIn } from './url.ts';

export type Filters = Record<string, unknown>;
export type AnyCall = Call<Record<string, unknown>, Record<string, unknown>, unknown>;

/** The caller of an operation that needs no key. */
export const ANONYMOUS: Caller = {
  keyId: '',
  workspaceId: NO_WORKSPACE,
  scopes: [],
  limits: { perMinute: 0, perDay: 0 },
};
const NO_PAGE = { limit: 0, sort: 'id' };
const NO_HEADERS = {};
const ignore = () => undefined;

/** Turns a request into the call of an operation: its parameters and its body, parsed and checked. */
export function callReader(
  operation: Operation,
  { clock }: Pick<Dependencies, 'clock'>,
): (request: FastifyRequest) => AnyCall {
  const { list, isConditional, body, params = {}, query: filters = {} } = operation;
  const requestHeaders = operation.requestHeaders && Object.keys(operation.requestHeaders);
  const queryParams = { ...filters, ...(list ? pagingParameters(list, filters) : {}) };
  const checkBody = body
    ? bodyChecker(operation.bodyToCheck ?? body, operation.isBodyOptional === true)
    : checkNoBody;
  return (request) => {
    const query = parseQuery(queryParams, queryIn(request.raw.url!));
    if (query.dryRun === true) request.state.headers.push('dry-run', 'true');
    const pathParams = parsePathParameters(params, request.params as Record<string, string>);
    return {
      caller: callerOf(request),
      params: pathParams,
      query,
      body: checkBody((request.body as ParsedBody | undefined)?.value),
      page: list ? takePage(operation, { query, params: pathParams }) : NO_PAGE,
      now: clock.now(),
      author: () => authorOf(request, operation),
      checkMatch: isConditional ? conditionsOf(request.headers) : ignore,
      headers: requestHeaders ? pick(request.headers, requestHeaders) : NO_HEADERS,
      onClose: (listener) => {
        // Not the request: Node calls it closed as soon as it is read.
        const { socket } = request.raw;
        // The client may have gone before the handler runs, and `close` is emitted once.
        if (socket.destroyed) {
          const immediate = setImmediate(listener);
          return () => clearImmediate(immediate);
        }
        socket.once('close', listener);
        return () => void socket.off('close', listener);
      },
    };
  };
}

/** The caller is cached and shared by requests, so the trace of one of them goes into a copy. */
function callerOf({ state: { caller, trace } }: FastifyRequest): Caller {
  if (!caller) return ANONYMOUS;
  return trace ? { ...caller, traceparent: formatTraceParent(trace) } : caller;
}

/** Whom the audit log names for what a request does. A sign-up has no key yet. */
function authorOf(request: FastifyRequest, { scope }: Operation): Author {
  const { caller } = request.state;
  const origin = { requestId: request.id, address: plainAddress(request.ip) };
  if (!caller) return { actor: { type: 'service', name: 'sign-up' }, ...origin };
  const { keyId: id, workspaceId, parentId } = caller;
  const own = parentId === undefined ? 'key' : 'session';
  return { actor: { type: scope === 'operate' ? 'operator' : own, id }, workspaceId, ...origin };
}

/** Each is one string: Node joins a repeated header with commas, and the handler refuses the joined value. */
function pick(headers: FastifyRequest['headers'], names: readonly string[]) {
  return Object.fromEntries(
    names.map((name) => [name, headers[name] as string | undefined] as const),
  );
}

/**
 * Takes the paging parameters out of a parsed query. A cursor is bound to the filters that are left and to the parameters
 * of the path.
 */
function takePage(
  operation: Operation,
  { query, params }: { query: Filters; params: Filters },
): PageRequest<string> {
  const isNaming = namingFilters(operation.query ?? {}).some((name) => name in query);
  const {
    limit = isNaming ? LIMIT_MAX : LIMIT_DEFAULT,
    sort = operation.list?.defaultSort ?? 'id',
    cursor,
  } = query as { limit?: number; sort?: string; cursor?: string };
  delete query.limit;
  delete query.cursor;
  delete query.sort;
  if (cursor === undefined) return { limit, sort };
  const after = decodeCursor(cursorScope(operation, { ...params, ...query }, sort), cursor);
  if (!after) throw invalidCursor();
  return { limit, sort, after };
}

/** What a cursor is valid for. */
export function cursorScope(operation: Operation, filters: Filters, sort: string): string {
  const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([operation.id, sort, sorted]);
}
