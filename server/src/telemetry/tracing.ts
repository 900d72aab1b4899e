// The port of traces. telemetry/otel-tracing.ts is its adapter, which is loaded only where traces are exported.

import type { TraceParent } from '../lib/traceparent.ts';

export type SpanKind = 'server' | 'internal' | 'client';
type Attributes = Readonly<Record<string, string | number>>;

export interface SpanOptions {
  kind: SpanKind;
  /** The span that this one belongs to; absent for the first of a trace. */
  parent?: TraceParent | undefined;
  /** The trace that this one begins in, where the client that names it has no say in what is sampled. */
  traceId?: string | undefined;
}

export interface Span {
  /** Where what follows from this span stands in the trace. */
  readonly place: TraceParent;
  /** Starts a part of it. */
  child(name: string): Span;
  end(outcome?: { attributes?: Attributes; isFailed?: boolean }): void;
}

export interface Tracing {
  /** Undefined if it is not sampled. Its parts are not either. */
  start(name: string, options: SpanOptions): Span | undefined;
  /** Exports what waits, within a bounded time. */
  close(): Promise<void>;
}

/** Runs a part of a request in a span of its own, if the request is sampled. */
export function within<T>(
  span: Span | undefined,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  return span ? timed(span.child(name), work) : work();
}

async function timed<T>(part: Span, work: () => Promise<T>): Promise<T> {
  try {
    const value = await work();
    part.end();
    return value;
  } catch (err) {
    part.end({ isFailed: true });
    throw err;
  }
}
