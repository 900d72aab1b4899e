import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/key.ts';
import type { Call, Dependencies, Operation } from '../../operations/operation.ts';
import { pagingParameters } from '../../operations/parameters.ts';
import { bodyChecker } from '../../operations/schemas/validator.ts';
import type { ParsedBody } from './body.ts';
import { checkIfMatch } from './conditions.ts';
import { takePage } from './paging.ts';
import { parsePathParameters, parseQuery, queryIn } from './url.ts';

export type AnyCall = Call<Record<string, unknown>, Record<string, unknown>, unknown>;

/** The caller of an operation that needs no key. */
export const ANONYMOUS: Caller = {
  keyId: '',
  workspaceId: 0,
  scopes: [],
  limits: { perMinute: 0, perDay: 0 },
};
const NO_PAGE = { limit: 0, sort: 'id' };
const NO_HEADERS = {};
const ignore = () => undefined;

/** Turns a request into the call of an operation: its parameters and its body, parsed and checked. */
export function callReader(
  operation: Operation,
  { clock, ledgerClock }: Pick<Dependencies, 'clock' | 'ledgerClock'>,
): (request: FastifyRequest) => AnyCall {
  const { list, takesIfMatch, body, scope, params = {}, query: filters = {} } = operation;
  const requestHeaders = operation.requestHeaders && Object.keys(operation.requestHeaders);
  const queryParams = { ...filters, ...(list ? pagingParameters(list, filters) : {}) };
  const checkBody =
    body && bodyChecker(operation.bodyToCheck ?? body, operation.isBodyOptional === true);
  // Keys, sessions and bans go by the clock that authenticates them, also while the ledger's stands still ahead of it.
  const time = scope === 'read' || scope === 'write' ? ledgerClock : clock;
  return (request) => {
    const query = parseQuery(queryParams, queryIn(request.raw.url!));
    if (query.dryRun === true) request.state.headers.push('dry-run', 'true');
    const ifMatch = takesIfMatch && request.headers['if-match'];
    const pathParams = parsePathParameters(params, request.params as Record<string, string>);
    return {
      caller: request.state.caller ?? ANONYMOUS,
      params: pathParams,
      query,
      body: checkBody?.((request.body as ParsedBody | undefined)?.value),
      page: list ? takePage(operation, { query, params: pathParams }) : NO_PAGE,
      now: time.now(),
      checkMatch: ifMatch === undefined ? ignore : (record) => checkIfMatch(ifMatch, record),
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

/** Each is one string: Node joins a repeated header with commas, and the handler refuses the joined value. */
function pick(headers: FastifyRequest['headers'], names: readonly string[]) {
  return Object.fromEntries(
    names.map((name) => [name, headers[name] as string | undefined] as const),
  );
}
