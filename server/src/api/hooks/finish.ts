import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Verdict } from '../../limits/limiter.ts';
import type { UsageRecorder } from '../../services/usage.ts';
import type { Metrics } from '../metrics.ts';

export interface Books {
  usage: UsageRecorder;
  metrics: Metrics;
  log: Logger;
}

/** What the usage report calls a request to an address that is no operation. */
const UNKNOWN_OPERATION = 'unknown';

/** Closes the books on a request: usage, metrics, and one line of log. */
export function finish({ usage, metrics, log }: Books) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const { startedAt, caller, errorCode, verdict } = request.state;
    const id = request.routeOptions.config.operation?.id;
    const status = reply.statusCode;
    const durationMs = performance.now() - startedAt;
    if (caller && status >= 400 && isMetered(request) && !verdict?.refusal) {
      usage.count(caller, id ?? UNKNOWN_OPERATION, 'failed');
    }
    metrics.countRequest(id ?? 'none', status, durationMs);
    log.info({
      requestId: request.id,
      method: request.method,
      path: pathOf(request),
      operation: id,
      status,
      code: errorCode,
      keyId: caller?.keyId,
      ms: Math.round(durationMs * 1000) / 1000,
    });
    done();
  };
}

/** What a ban refuses counts as nothing; what costs no quota is not in the report. */
export function countUsage(usage: UsageRecorder) {
  return (request: FastifyRequest, verdict: Verdict) => {
    const { caller } = request.state;
    if (!caller) return;
    usage.touch(caller.keyId);
    if (!isMetered(request) || verdict.refusal?.by === 'ban') return;
    const id = request.routeOptions.config.operation?.id ?? UNKNOWN_OPERATION;
    usage.count(caller, id, verdict.refusal ? 'refused' : 'admitted');
  };
}

/** Without its query, and without a key that got into it by mistake. */
export function pathOf(request: FastifyRequest): string {
  const url = request.raw.url!;
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  return path.includes('psk_') ? path.replace(/psk_\w*/g, 'psk_…') : path;
}

function isMetered(request: FastifyRequest): boolean {
  return request.routeOptions.config.operation?.metering === undefined;
}
