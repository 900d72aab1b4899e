// Makes the Fastify handler of an operation: parse the call, read or write, send the response.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from '../datastore/datastore.ts';
import { addressBucket } from '../lib/client-address.ts';
import type { NewCookie, SetCookie } from '../operations/new-cookie.ts';
import type { Dependencies, Operation } from '../operations/operation.ts';
import type { StreamSource } from '../operations/stream.ts';
import { type Workload, workKindOf } from './connections/workload.ts';
import type { ReadCache } from './read-cache.ts';
import { ANONYMOUS, type AnyCall, callReader } from './request/call.ts';
import { withConditions } from './request/conditions.ts';
import { previewRepresentationOf, representationOf } from './response/representation.ts';
import type { HttpResponse } from './response/response.ts';
import type { Respond } from './response/send.ts';
import type { SendError } from './response/send-error.ts';
import type { RespondWithStream } from './response/stream-response.ts';
import type { SessionCookies } from './session-cookies.ts';
import { chargeBucket, chargeCost } from './steps/limit.ts';
import type { Writer } from './write.ts';

/** What every route needs besides its operation. */
export interface RouteOptions {
  deps: Dependencies;
  writer: Writer;
  respond: Respond;
  respondWithStream: RespondWithStream;
  sendError: SendError;
  workload: Workload;
  readCache: ReadCache | undefined;
  cookies: SessionCookies;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => void;
/** Parses the call of a request, runs it, and returns its response. */
export type Responder = (request: FastifyRequest) => Promise<HttpResponse>;
type Handle = (
  call: AnyCall & { prepared?: unknown; setCookie?: SetCookie },
  second: unknown,
  deps: Dependencies,
) => Promise<unknown>;

export function handlerOf(operation: Operation, options: RouteOptions): Handler {
  if (operation.success.kind === 'stream') return streamHandlerOf(operation, options);
  const { workload, respond, sendError } = options;
  const kind = workKindOf(operation);
  const responseTo = responderOf(operation, options);
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    workload.start(kind);
    let response: HttpResponse;
    try {
      response = await responseTo(request);
    } catch (err) {
      return sendError(err, request, reply);
    } finally {
      workload.end(kind);
    }
    respond(request, reply, response);
  };
  return (request, reply) => void handle(request, reply);
}

/** A stream takes its place among the open ones before it is counted, and gives it back when it ends. */
function streamHandlerOf(operation: Operation, options: RouteOptions): Handler {
  const { deps, respondWithStream, sendError } = options;
  const callOf = callReader(operation, deps);
  const handle = operation.handle as unknown as Handle;
  const begin = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      const source = (await handle(callOf(request), deps.store, deps)) as StreamSource;
      await respondWithStream(request, reply, {
        source,
        charge: () => chargeBucket(request, deps),
      });
    } catch (err) {
      sendError(err, request, reply);
    }
  };
  return (request, reply) => void begin(request, reply);
}

function readResponder(operation: Operation, { deps, readCache }: RouteOptions): Responder {
  const callOf = callReader(operation, deps);
  const represent = representationOf(operation);
  const handle = operation.handle as unknown as Handle;
  const { repeatableUntil, isRepeatable } = operation;
  return async (request) => {
    const call = callOf(request);
    const { workspaceId } = call.caller;
    const isKept = repeatableUntil !== undefined && isRepeatable?.(call.query) !== false;
    const version = isKept ? readCache?.versionOf(workspaceId, repeatableUntil) : undefined;
    const response = represent(await handle(call, deps.store, deps), call, request);
    if (version !== undefined)
      readCache!.keep(workspaceId, request.raw.url!, { version, response });
    return withConditions(request, response);
  };
}

function writeResponder(operation: Operation, { deps, writer, cookies }: RouteOptions): Responder {
  const { storable, cost, prepare, session } = operation;
  const callOf = callReader(operation, deps);
  const represent = representationOf(operation);
  const preview = previewRepresentationOf(operation);
  const handle = operation.handle as unknown as Handle;
  return async (request) => {
    const call = callOf(request);
    const { workspaceId } = call.caller;
    if (cost) await chargeCost(request, cost(call.body as never), deps);
    if (call.query.dryRun === true) {
      const run = async (tx: Transaction) => preview(await handle(call, tx, deps));
      return writer.rehearse(request, { workspaceId, run });
    }
    const preparedCall = prepare && (await settled(prepare(call as never, deps)));
    let storedBody: string | undefined;
    let newCookie: NewCookie | undefined;
    const setCookie: SetCookie = (cookie) => {
      newCookie = cookie;
    };
    const response = await writer.write(request, {
      operation,
      workspaceId,
      owner: call.caller === ANONYMOUS ? `${addressBucket(request.ip)} ` : '',
      now: call.now,
      run: async (tx) => {
        // The unit may run again. Nothing of an earlier run is stored or sent.
        storedBody = undefined;
        newCookie = undefined;
        const prepared = preparedCall?.();
        const given = prepare || session ? { ...call, prepared, setCookie } : call;
        const value = await handle(given, tx, deps);
        if (storable) storedBody = represent(storable(value as never), call, request).body;
        return represent(value, call, request);
      },
      storable: (made) => (storedBody === undefined ? made : { ...made, body: storedBody }),
    });
    await operation.afterCommit?.(deps, call);
    // A replay opens nothing: no stored response holds a secret.
    if (newCookie) cookies.set(request, newCookie);
    if (session === 'ends') cookies.clear(request);
    if (response.status >= 400) request.state.errorCode = codeIn(response);
    return response;
  };
}

function actionResponder(operation: Operation, { deps, writer }: RouteOptions): Responder {
  const callOf = callReader(operation, deps);
  const represent = representationOf(operation);
  const handle = operation.handle as unknown as Handle;
  return async (request) => {
    const call = callOf(request);
    const response = await writer.act(request, {
      operation,
      workspaceId: call.caller.workspaceId,
      now: call.now,
      run: async () => represent(await handle(call, deps.store, deps), call, request),
    });
    if (response.status >= 400) request.state.errorCode = codeIn(response);
    return response;
  };
}

export function responderOf(operation: Operation, options: RouteOptions): Responder {
  return responders[operation.kind](operation, options);
}

const responders = { read: readResponder, write: writeResponder, action: actionResponder };

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

/** The error code of a response that was stored under an Idempotency-Key. */
function codeIn(response: HttpResponse): string {
  return (JSON.parse(response.body) as { code: string }).code;
}
