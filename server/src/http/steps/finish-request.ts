import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Verdict } from '../../limits/limiter.ts';
import type { UsageRecorder } from '../../services/usage.ts';
import { requestLog } from '../../telemetry/access-log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

export interface Books {
  usage: UsageRecorder;
  metrics: Metrics;
  log: Logger;
}

/** Closes the books on a request whose answer is known: usage, metrics, and one line of log. */
export type Finish = (request: FastifyRequest, status: number) => void;

/** What the usage report calls a request to an address that is no operation. */
const UNKNOWN_OPERATION = 'unknown';

export function finish({ usage, metrics, log }: Books): Finish {
  const writeLine = requestLog(log);
  return (request, status) => {
    const { startedAt, operation, caller, errorCode, verdict } = request.state;
    const durationMs = performance.now() - startedAt;
    if (caller && status >= 400 && isMetered(request) && !verdict?.refusal) {
      usage.count(caller, operation?.id ?? UNKNOWN_OPERATION, 'failed');
    }
    metrics.countRequest(operation?.id ?? 'none', status, durationMs);
    writeLine({
      requestId: request.id,
      method: request.method,
      path: pathOf(request),
      operation: operation?.id,
      status,
      code: errorCode,
      keyId: caller?.keyId,
      ms: Math.round(durationMs * 1000) / 1000,
    });
  };
}

/** What a ban refuses counts as nothing; what costs no quota is not in the report. */
export function countUsage(usage: UsageRecorder) {
  return (request: FastifyRequest, verdict: Verdict) => {
    const { caller, operation } = request.state;
    if (!caller) return;
    if (!isMetered(request) || verdict.refusal?.by === 'ban') return usage.touch(caller);
    const outcome = verdict.refusal ? 'refused' : 'admitted';
    usage.count(caller, operation?.id ?? UNKNOWN_OPERATION, outcome);
  };
}

/** Without its query, and without a key that got into it by mistake. */
export function pathOf(request: FastifyRequest): string {
  const url = request.raw.url!;
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  return path.includes('psk_') ? path.replace(/psk_\w*/g, 'psk_…') : path;
}

function isMetered({ state }: FastifyRequest): boolean {
  return state.operation?.metering === undefined;
}
