// Traces by OpenTelemetry, exported over OTLP/HTTP. All OTEL_ variables are read by its packages. Spans wait in a bounded
// queue; a collector that hangs, fails or is away costs the spans that do not fit into it, and nothing else.

import { setTimeout as pause } from 'node:timers/promises';
import {
  type Context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
} from '@opentelemetry/sdk-trace-base';
import type { TraceParent } from '../lib/traceparent.ts';
import type { Span, SpanOptions, Tracing } from './tracing.ts';

interface TracingOptions {
  version: string;
  /** Gets one line for each export that failed. */
  onFailure: (message: string) => void;
  /** Gets one line for each variable that is malformed. It has its default then. */
  onIgnored: (message: string) => void;
}

const kinds = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
} as const;
/** How long a stop waits for the collector. */
const CLOSE_MS = 2_000;

export function openTracing({ version, onFailure, onIgnored }: TracingOptions): Tracing {
  const ignore = () => undefined;
  const quiet = { info: ignore, debug: ignore, verbose: ignore };
  // Attributes that it cannot read are all it has to say here at this level, and it leaves out all of them.
  const debug = (message: string) => {
    if (message.startsWith('EnvDetector failed: ')) onIgnored(message);
  };
  const whileOpening = { ...quiet, error: onIgnored, warn: onIgnored, debug };
  const suppressOverrideMessage = true;
  diag.setLogger(whileOpening, { logLevel: DiagLogLevel.DEBUG, suppressOverrideMessage });
  const own = resourceFromAttributes({ 'service.name': 'petstore', 'service.version': version });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  const ids = givenTraceIds();
  const provider = new BasicTracerProvider({
    resource,
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const logger = { ...quiet, error: onFailure, warn: onFailure };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage });
  const tracer = provider.getTracer('petstore', version);
  return {
    start: (name, options) => {
      ids.next = options.traceId;
      return startSpan(tracer, name, options);
    },
    close: async () => {
      await Promise.race([provider.shutdown().catch(ignore), pause(CLOSE_MS)]);
    },
  };
}

/** Begins the next trace under an id that was given. The sampler then decides as for any new trace. */
function givenTraceIds(): IdGenerator & { next: string | undefined } {
  const random = new RandomIdGenerator();
  return {
    next: undefined,
    generateSpanId: () => random.generateSpanId(),
    generateTraceId() {
      const given = this.next;
      this.next = undefined;
      return given ?? random.generateTraceId();
    },
  };
}

function startSpan(tracer: Tracer, name: string, { kind, parent }: SpanOptions): Span | undefined {
  const span = tracer.startSpan(name, { kind: kinds[kind] }, contextOf(parent));
  return span.isRecording() ? new TracedSpan(tracer, span) : undefined;
}

class TracedSpan implements Span {
  readonly #tracer: Tracer;
  readonly #span: OtelSpan;

  constructor(tracer: Tracer, span: OtelSpan) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get place(): TraceParent {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
  }

  child(name: string): Span {
    const context = trace.setSpan(ROOT_CONTEXT, this.#span);
    return new TracedSpan(this.#tracer, this.#tracer.startSpan(name, {}, context));
  }

  end({ attributes, isFailed = false }: Parameters<Span['end']>[0] = {}): void {
    if (attributes) this.#span.setAttributes({ ...attributes });
    if (isFailed) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}

function contextOf(parent: TraceParent | undefined): Context {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
