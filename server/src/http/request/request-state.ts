import type { FastifyRequest } from 'fastify';
import type { Refusal } from '../../domain/errors.ts';
import type { Caller } from '../../domain/key.ts';
import type { TraceParent } from '../../lib/traceparent.ts';
import type { Verdict } from '../../limits/limiter.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Span } from '../../telemetry/tracing.ts';
import { type FlatHeaders, firstHeaders } from '../response/headers.ts';
import type { Lifecycle } from '../response/lifecycle-headers.ts';

/** What the steps find out about a request, for the steps after them. */
interface RequestState {
  startedAt: number;
  /** Undefined if no operation has this path and method. */
  operation: Operation | undefined;
  lifecycle: Lifecycle | undefined;
  /** Headers of the response, whatever it will be. */
  headers: FlatHeaders;
  /** The rate-limit headers, apart from the others because a second verdict replaces them. */
  rateHeaders: FlatHeaders;
  /** Whether this is a page, which is not metered. */
  isPage: boolean;
  /** Whether the response must be the last on its connection. */
  closesConnection: boolean;
  caller: Caller | undefined;
  /** Why there is no caller. */
  identityRefusal: Refusal | undefined;
  verdict: Verdict | undefined;
  /** Whether the state of the workspace refuses the request, which therefore is in no count. */
  isBlocked: boolean;
  /** The status of the operation, where the response that carries it has another. */
  operationStatus: number | undefined;
  /** Whether the response is one that was stored under an Idempotency-Key. */
  isReplay: boolean;
  /** Where what follows from this request stands in its trace; undefined if it is part of none. */
  trace: TraceParent | undefined;
  /** Undefined unless it is exported. */
  span: Span | undefined;
  /** Set when the response is an error, for the log and the usage report. */
  errorCode: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
  interface FastifyContextConfig {
    operation?: Operation;
    lifecycle?: Lifecycle;
  }
}

export function initialiseState(request: FastifyRequest): void {
  const { operation, lifecycle } = request.routeOptions.config;
  request.state = {
    startedAt: performance.now(),
    operation,
    lifecycle,
    headers: firstHeaders(request.id),
    rateHeaders: [],
    isPage: false,
    closesConnection: false,
    caller: undefined,
    identityRefusal: undefined,
    verdict: undefined,
    isBlocked: false,
    operationStatus: undefined,
    isReplay: false,
    trace: undefined,
    span: undefined,
    errorCode: undefined,
  };
}
