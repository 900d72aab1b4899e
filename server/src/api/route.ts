// Turns an operation into a Fastify route: everything that can be prepared is prepared here, once.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page, PageRequest } from '../datastore/page.ts';
import { invalidField, Refusal } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { addressBucket } from '../lib/address.ts';
import { decodeCursor, encodeCursor } from '../lib/cursor.ts';
import { type Answer, etagOf, isMatched, metConditions, serialiserOf } from './answer.ts';
import type { AnswerError } from './answer-error.ts';
import { bodyChecker } from './body.ts';
import { chargeMore } from './hooks/limit.ts';
import type { Workload } from './hooks/shed-load.ts';
import type { KnownAnswers } from './known-answers.ts';
import type { Call, Dependencies, ListSpec, Operation } from './operation.ts';
import { integer, oneOf, type Params, parseQuery, text } from './params.ts';
import { JSON_TYPE, type Prepared, prepare, type Respond } from './respond.ts';
import type { SharedAnswers } from './shared-answers.ts';
import { API_PREFIX } from './version.ts';
import type { Writer } from './write.ts';

/** A parsed body and the bytes it came in, which an Idempotency-Key is bound to. */
export interface ParsedBody {
  bytes: Buffer;
  value: unknown;
}

type AnyCall = Call<Record<string, unknown>, Record<string, unknown>, unknown>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => void;

const ignore = () => undefined;
const PAGE_DEFAULT = 20;
const PAGE_MAX = 100;
const NOBODY: Caller = {
  keyId: '',
  workspaceId: 0,
  scopes: [],
  limits: { perMinute: 0, perDay: 0 },
};

export function pagingParams(list: ListSpec<never>): Params {
  const sorts = list.sorts.flatMap((sort) => [sort, `-${sort}`]);
  return {
    limit: integer('How many records at the most.', { minimum: 1, maximum: PAGE_MAX }),
    cursor: text('Where to go on: taken from the `next` link of the page before.', 2_000),
    sort: oneOf('The order; a minus sign turns it round.', sorts),
  };
}

/** What every handler needs beside its operation. */
export interface Surroundings {
  deps: Dependencies;
  writer: Writer;
  respond: Respond;
  refuse: AnswerError;
  workload: Workload;
  /** Where this process alone changes the data. */
  known: KnownAnswers | undefined;
  /** Where reads of one turn are sent together. */
  shared: SharedAnswers | undefined;
}

/** Answers by itself, so that the framework need not watch over a promise. */
export function handlerOf(operation: Operation, around: Surroundings): Handler {
  const answer = operation.kind === 'read' ? reader(operation, around) : changer(operation, around);
  const { workload, respond, refuse } = around;
  const take = async (request: FastifyRequest, reply: FastifyReply) => {
    workload.running += 1;
    let prepared: Prepared;
    try {
      prepared = prepare(await answer(request));
    } catch (err) {
      return refuse(err, request, reply);
    } finally {
      workload.running -= 1;
    }
    respond(request, reply, prepared);
  };
  return (request, reply) => void take(request, reply);
}

type Answerer = (request: FastifyRequest) => Promise<Answer>;
type Handle = (call: AnyCall, second: unknown, deps: Dependencies) => Promise<unknown>;

function reader(operation: Operation, { deps, known, shared }: Surroundings): Answerer {
  const callOf = callReader(operation, deps);
  const answerOf = answerWriter(operation);
  const handle = operation.handle as unknown as Handle;
  const read = async (request: FastifyRequest, call: AnyCall) =>
    answerOf(await handle(call, deps.store, deps), call, request);
  if (!operation.isRepeatable) {
    return async (request) => metConditions(request, await read(request, callOf(request)));
  }
  return async (request) => {
    const call = callOf(request);
    const { workspaceId } = call.caller;
    const version = known?.versionOf(workspaceId);
    const answer = shared
      ? await shared.get(request, workspaceId, () => read(request, call))
      : await read(request, call);
    if (version !== undefined) known!.keep(request, workspaceId, version, answer);
    return metConditions(request, answer);
  };
}

function changer(operation: Operation, around: Surroundings): Answerer {
  const { deps, writer } = around;
  const { storable, cost } = operation;
  const callOf = callReader(operation, deps);
  const answerOf = answerWriter(operation);
  const handle = operation.handle as unknown as Handle;
  return async (request) => {
    const call = callOf(request);
    if (cost) await chargeMore(request, cost(call.body as never) - 1, deps);
    let storedBody: string | undefined;
    const answer = await writer.write(request, {
      workspaceId: call.caller.workspaceId,
      owner: call.caller === NOBODY ? `${addressBucket(request.ip)} ` : '',
      now: call.now,
      run: async (tx) => {
        const value = await handle(call, tx, deps);
        if (storable) storedBody = answerOf(storable(value as never), call, request).body;
        return answerOf(value, call, request);
      },
      storable: (answer) => (storedBody === undefined ? answer : { ...answer, body: storedBody }),
    });
    await operation.onCommit?.(deps, call);
    if (answer.status >= 400) request.state.errorCode = codeOf(answer);
    return answer;
  };
}

/** A refusal that was stored, or is being stored, for repetitions. */
function codeOf(answer: Answer): string {
  return (JSON.parse(answer.body) as { code: string }).code;
}

function callReader(
  operation: Operation,
  deps: Dependencies,
): (request: FastifyRequest) => AnyCall {
  const { list, matches } = operation;
  const params = Object.entries(operation.params ?? {});
  const queryParams = { ...operation.query, ...(list ? pagingParams(list) : {}) };
  const checkBody =
    operation.body &&
    bodyChecker(operation.bodyChecked ?? operation.body, operation.isBodyOptional === true);
  const serialiseMatch = matches && serialiserOf(matches);
  return (request) => {
    const url = request.raw.url!;
    const at = url.indexOf('?');
    const query = parseQuery(queryParams, at < 0 ? '' : url.slice(at + 1));
    const raw = request.params as Record<string, string>;
    const values: Record<string, unknown> = {};
    for (const [name, param] of params) values[name] = param.parse(raw[name]!, name);
    const body = (request.body as ParsedBody | undefined)?.value;
    const ifMatch = serialiseMatch ? request.headers['if-match'] : undefined;
    return {
      caller: request.state.caller ?? NOBODY,
      params: values,
      query,
      body: checkBody ? checkBody(body) : undefined,
      page: list ? pageOf(operation, query) : { limit: 0, sort: 'id' },
      now: deps.clock.now(),
      checkMatch: ifMatch === undefined ? ignore : matcher(ifMatch, serialiseMatch!),
    };
  };
}

function matcher(ifMatch: string, serialise: (record: unknown) => string) {
  return (record: unknown) => {
    if (!isMatched(ifMatch, etagOf(serialise(record)))) throw new Refusal('precondition_failed');
  };
}

/** Takes the paging parameters out of the query; what is left are the filters, which a cursor is bound to. */
function pageOf(operation: Operation, query: Record<string, unknown>): PageRequest<string> {
  const limit = (query.limit as number | undefined) ?? ('id' in query ? PAGE_MAX : PAGE_DEFAULT);
  const sort = (query.sort as string | undefined) ?? 'id';
  const cursor = query.cursor as string | undefined;
  delete query.limit;
  delete query.cursor;
  delete query.sort;
  if (cursor === undefined) return { limit, sort };
  const after = decodeCursor(cursorQuery(operation, query, sort), cursor);
  // A cursor can be forged, so it must have the parts that a position in this order has.
  const isKeyed = 'key' in operation.list!.positionOf({} as never, sort);
  if (!after || 'key' in after !== isKeyed) {
    throw invalidField('cursor', 'was not made for this list with these filters and this sort');
  }
  return { limit, sort, after };
}

function cursorQuery(operation: Operation, filters: Record<string, unknown>, sort: string): string {
  const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([operation.id, sort, sorted]);
}

type AnswerWriter = (value: unknown, call: AnyCall, request: FastifyRequest) => Answer;

function answerWriter(operation: Operation): AnswerWriter {
  const { success } = operation;
  if (success.kind === 'empty') return () => ({ status: 204, headers: {}, body: '' });
  const { status } = success;
  if (success.kind === 'list') {
    const serialise = serialiserOf({ type: 'array', items: success.schema } as never);
    const positionOf = operation.list?.positionOf as ListSpec<unknown>['positionOf'] | undefined;
    return (value, call, request) => {
      const page = value as Page<unknown>;
      const headers: Record<string, string> = { 'content-type': JSON_TYPE };
      if (page.hasMore) {
        const query = cursorQuery(operation, call.query, call.page.sort);
        const cursor = encodeCursor(query, positionOf!(page.items.at(-1), call.page.sort));
        headers.link = `<${nextUrl(request, cursor)}>; rel="next"`;
      }
      return { status, headers, body: serialise(page.items) };
    };
  }
  const serialise = serialiserOf(success.schema);
  if (success.kind === 'value') {
    return (value) => ({ status, headers: { 'content-type': JSON_TYPE }, body: serialise(value) });
  }
  const location = success.kind === 'created' ? success.location : undefined;
  return (value) => {
    const body = serialise(value);
    const headers: Record<string, string> = { 'content-type': JSON_TYPE, etag: etagOf(body) };
    if (location) headers.location = `${API_PREFIX}${location(value as never)}`;
    return { status, headers, body };
  };
}

/** The same address with another cursor, so that a client can follow it without thinking. */
function nextUrl(request: FastifyRequest, cursor: string): string {
  const [path, search = ''] = request.raw.url!.split('?') as [string, string?];
  const kept = search.split('&').filter((pair) => pair !== '' && !/^cursor(=|$)/.test(pair));
  const origin = request.headers.host ? `${request.protocol}://${request.headers.host}` : '';
  const next = `${origin}${path}?${[...kept, `cursor=${cursor}`].join('&')}`;
  return next.replace(/[<>"]/g, encodeURIComponent);
}
