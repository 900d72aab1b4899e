// Makes the Fastify handler of an operation: parse the call, read or write, send the response.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from '../datastore/datastore.ts';
import { addressBucket } from '../lib/network/address-bucket.ts';
import type { Dependencies, NewCookie, Operation, SetCookie } from '../operations/operation.ts';
import type { Download, StreamSource } from '../operations/success.ts';
import { authoredBy } from '../services/logs/audit.ts';
import { within } from '../telemetry/tracing.ts';
import type { ReadCache } from './read-cache.ts';
import { ANONYMOUS, type AnyCall, callReader } from './request/call.ts';
import { chargeBucket, chargeCost } from './request/charge.ts';
import { withConditions } from './request/conditions.ts';
import type { HttpResponse } from './response/headers.ts';
import { previewRepresentationOf, representationOf } from './response/representation.ts';
import type { SendDownload } from './response/send-download.ts';
import type { SendError } from './response/send-error.ts';
import type { SendResponse } from './response/send-response.ts';
import type { SendStream } from './response/send-stream.ts';
import type { SessionCookies } from './session-cookies.ts';
import { type Workload, workKindOf } from './workload.ts';
import type { Writer } from './writer.ts';

/** What every route needs besides its operation. */
export interface RouteOptions {
  deps: Dependencies;
  writer: Writer;
  sendResponse: SendResponse;
  sendStream: SendStream;
  sendDownload: SendDownload;
  sendError: SendError;
  workload: Workload;
  readCache: ReadCache | undefined;
  cookies: SessionCookies;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => void;
/** Parses the call of a request, runs the operation, and returns its response. */
export type Execute = (request: FastifyRequest) => Promise<HttpResponse>;
type OperationHandle = (
  call: AnyCall & { prepared?: unknown; setCookie?: SetCookie },
  storage: unknown,
  deps: Dependencies,
) => Promise<unknown>;

export function handlerOf(operation: Operation, options: RouteOptions): Handler {
  if (['stream', 'download'].includes(operation.success.kind)) {
    return openEndedHandlerOf(operation, options);
  }
  const { workload, sendResponse, sendError } = options;
  const kind = workKindOf(operation);
  const execute = executorOf(operation, options);
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    workload.start(kind);
    let response: HttpResponse;
    try {
      response = await execute(request);
    } catch (err) {
      return sendError(err, request, reply);
    } finally {
      workload.end(kind);
    }
    sendResponse(request, reply, response);
  };
  return (request, reply) => void handle(request, reply);
}

/**
 * Streams and files are sent while they are read, so they do not count as running work; their senders bound how many there
 * are. A stream takes a slot before it is counted, and frees the slot when it ends.
 */
function openEndedHandlerOf(operation: Operation, options: RouteOptions): Handler {
  const { deps, sendStream, sendDownload, sendError } = options;
  const callOf = callReader(operation, deps);
  const handle = operation.handle as unknown as OperationHandle;
  const send = (request: FastifyRequest, reply: FastifyReply, value: unknown) => {
    if (operation.success.kind === 'download') {
      return sendDownload(request, reply, value as Download);
    }
    const charge = () => chargeBucket(request, deps);
    return sendStream(request, reply, { source: value as StreamSource, charge });
  };
  const begin = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      await send(request, reply, await handle(callOf(request), deps.store, deps));
    } catch (err) {
      sendError(err, request, reply);
    }
  };
  return (request, reply) => void begin(request, reply);
}

function readExecutor(operation: Operation, options: RouteOptions): Execute {
  const { deps, readCache, workload } = options;
  const callOf = callReader(operation, deps);
  const represent = representationOf(operation);
  const handle = operation.handle as unknown as OperationHandle;
  const { cacheableUntil, isCacheable, isWaiting } = operation;
  return async (request) => {
    const call = callOf(request);
    const { workspaceId } = call.caller;
    const url = request.raw.url!;
    const keep = cacheableUntil && readCache?.beforeRead(workspaceId, url, cacheableUntil);
    const read = () =>
      within(request.state.span, 'storage read', () => handle(call, deps.store, deps));
    const value = await (isWaiting?.(call.query) ? workload.pause('read', read) : read());
    const response = represent(value, call, request);
    if (keep && isCacheable?.(call.query, value) !== false) keep(response);
    return withConditions(request, response);
  };
}

function writeExecutor(operation: Operation, { deps, writer, cookies }: RouteOptions): Execute {
  const { storable, cost, prepare, session, audits } = operation;
  const callOf = callReader(operation, deps);
  const represent = representationOf(operation);
  const preview = previewRepresentationOf(operation);
  const handle = operation.handle as unknown as OperationHandle;
  // The transaction of a write that is audited knows whose changes it makes.
  const handleIn = (tx: Transaction, call: Parameters<OperationHandle>[0]) =>
    handle(call, audits ? authoredBy(tx, call.author()) : tx, deps);
  return async (request) => {
    const call = callOf(request);
    const { workspaceId } = call.caller;
    if (cost) await chargeCost(request, cost(call.body as never), deps);
    if (call.query.dryRun === true) {
      const run = async (tx: Transaction) => preview(await handleIn(tx, call));
      return writer.dryRun(request, { workspaceId, run });
    }
    const getPrepared = prepare && (await settled(prepare(call as never, deps)));
    const { response, cookie } = await writer.write(request, {
      operation,
      workspaceId,
      keyPrefix: call.caller === ANONYMOUS ? `${addressBucket(request.ip)} ` : '',
      now: call.now,
      afterCommit: () => operation.afterCommit?.(deps, call),
      run: async (tx) => {
        let cookie: NewCookie | undefined;
        const setCookie: SetCookie = (given) => {
          cookie = given;
        };
        const prepared = getPrepared?.();
        const given = prepare || session ? { ...call, prepared, setCookie } : call;
        const value = await handleIn(tx, given);
        const response = represent(value, call, request);
        const stored = storable && represent(storable(value as never), call, request);
        return { response, stored: stored && { ...response, body: stored.body }, cookie };
      },
    });
    // A replay sets no cookie: its handler did not run.
    if (cookie) cookies.set(request, cookie);
    if (session === 'ends') cookies.clear(request);
    return response;
  };
}

/** An action waits for others, such as a receiver that hangs, and does not count as running work meanwhile. */
function actionExecutor(operation: Operation, { deps, writer, workload }: RouteOptions): Execute {
  const callOf = callReader(operation, deps);
  const represent = representationOf(operation);
  const handle = operation.handle as unknown as OperationHandle;
  return async (request) => {
    const call = callOf(request);
    const act = () => handle(call, deps.store, deps);
    return writer.act(request, {
      operation,
      workspaceId: call.caller.workspaceId,
      now: call.now,
      run: async () => represent(await workload.pause('write', act), call, request),
    });
  };
}

export function executorOf(operation: Operation, options: RouteOptions): Execute {
  return executors[operation.kind](operation, options);
}

const executors = { read: readExecutor, write: writeExecutor, action: actionExecutor };

/** Waits for a promise. The returned function returns its value or throws its rejection. */
async function settled<T>(promise: Promise<T>): Promise<() => T> {
  try {
    const value = await promise;
    return () => value;
  } catch (err) {
    return () => {
      throw err;
    };
  }
}
