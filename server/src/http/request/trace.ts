import type { FastifyRequest } from 'fastify';
import { API_PREFIX } from '../../contract/version.ts';
import { parseTraceParent } from '../../lib/traceparent.ts';
import type { Tracing } from '../../telemetry/tracing.ts';

interface TraceOptions {
  /** Undefined unless traces are exported. */
  tracing: Tracing | undefined;
  /** Whether an address is that of a trusted proxy. */
  isTrusted: (address: string) => boolean;
}

export type StartTrace = (request: FastifyRequest) => void;

/**
 * Reads `traceparent` and, where traces are exported, starts the span of the request. Only a trusted proxy says whether a
 * trace is sampled: a client could have all of its requests exported.
 */
export function traceStarter({ tracing, isTrusted }: TraceOptions): StartTrace {
  return (request) => {
    const { raw, state } = request;
    const header = raw.headers.traceparent;
    if (header === undefined && !tracing) return;
    // A repeated header is joined by a comma, and malformed.
    const parent = typeof header === 'string' ? parseTraceParent(header) : undefined;
    const isHeeded = parent !== undefined && isTrusted(raw.socket.remoteAddress ?? '');
    const place = isHeeded ? { parent } : { traceId: parent?.traceId };
    state.span = tracing?.start(spanNameOf(request), { kind: 'server', ...place });
    const isSampled = parent?.isSampled === true && isHeeded && !tracing;
    state.trace = state.span?.place ?? (parent && { ...parent, isSampled });
  };
}

/** Made of the route, never of the path: a client chooses paths. */
function spanNameOf(request: FastifyRequest): string {
  const { operation } = request.state;
  const route = operation ? `${API_PREFIX}${operation.path}` : request.routeOptions.url;
  return route === undefined ? request.method : `${request.method} ${route}`;
}

/** Ends the span of a request, if it has one. */
export function endSpan(request: FastifyRequest, status: number): void {
  const { span, operation, errorCode } = request.state;
  span?.end({
    attributes: {
      'http.request.method': request.method,
      'http.response.status_code': status,
      'petstore.request_id': request.id,
      ...(operation ? { 'http.route': `${API_PREFIX}${operation.path}` } : {}),
      ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
    },
    isFailed: status >= 500,
  });
}
