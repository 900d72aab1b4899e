import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { mayHoldApiKey } from '../../lib/api-key.ts';
import type { Clock } from '../../lib/clock.ts';
import { addressNetwork } from '../../lib/network/address-bucket.ts';
import type { Verdict } from '../../limits/limiter.ts';
import type { DailyEvents } from '../../services/events/daily-events.ts';
import type { RequestLog } from '../../services/logs/request-log.ts';
import type { UsageRecorder } from '../../services/usage-recorder.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { endSpan } from '../request/trace.ts';
import { pathIn } from '../request/url.ts';
import { isLogged, loggedRequest } from './logged-request.ts';

export interface Telemetry {
  usage: UsageRecorder;
  metrics: Metrics;
  daily: DailyEvents;
  log: Logger;
  clock: Clock;
  /** Absent if no requests are kept. */
  requestLog: RequestLog | undefined;
}

/** Records a request when its response is sent: usage, metrics, one line of log and its row of the request log. */
export type RecordRequest = (
  request: FastifyRequest,
  status: number,
  responseBytes?: number,
) => void;

/** What the usage report calls a request to a path without an operation. */
const UNKNOWN_OPERATION = 'unknown';

export function requestRecorder(telemetry: Telemetry): RecordRequest {
  const { usage, metrics, daily, log, clock, requestLog } = telemetry;
  return (request, sentStatus, responseBytes = 0) => {
    const { startedAt, operation, caller, errorCode, verdict } = request.state;
    const status = request.state.operationStatus ?? sentStatus;
    const durationMs = performance.now() - startedAt;
    if (operation?.cost && verdict) countVerdict(usage, request, verdict);
    if (caller && verdict && !verdict.refusal && status >= 400 && isMetered(request)) {
      usage.count(caller, operation?.id ?? UNKNOWN_OPERATION, 'failed');
    }
    if (caller && verdict && isMetered(request)) daily.note(caller, operation?.id, verdict);
    metrics.requests.count(operation?.id ?? 'none', status, durationMs);
    const path = loggedPathOf(request);
    if (requestLog && isLogged(request, status)) {
      const sent = { status, responseBytes, path, now: clock.now(), durationMs };
      if (isKept(requestLog, request, sent)) requestLog.add(loggedRequest(request, sent));
    }
    endSpan(request, status);
    log.info({
      requestId: request.id,
      method: request.method,
      path,
      operation: operation?.id,
      status,
      code: errorCode,
      keyId: caller?.keyId,
      traceId: request.state.trace?.traceId,
      ms: Math.round(durationMs * 1000) / 1000,
    });
  };
}

function isKept(
  requestLog: RequestLog,
  { ip, state }: FastifyRequest,
  { status, now }: { status: number; now: number },
): boolean {
  const { caller, operation, errorCode } = state;
  if (status !== 429) return true;
  return requestLog.keepsRefusal(
    `${caller?.keyId ?? addressNetwork(ip)} ${operation?.id} ${errorCode}`,
    now,
  );
}

/** A request with a cost of its own is counted when it ends: until then it may still be refused. */
export function countUsage(usage: UsageRecorder) {
  return (request: FastifyRequest, verdict: Verdict) => {
    if (!request.state.operation?.cost) countVerdict(usage, request, verdict);
  };
}

/** Requests during a ban, and those that cost no quota, are not in the report. */
function countVerdict(usage: UsageRecorder, request: FastifyRequest, verdict: Verdict): void {
  const { caller, operation } = request.state;
  if (!caller) return;
  if (!isMetered(request) || verdict.refusal?.by === 'ban') {
    usage.touch(caller);
    return;
  }
  const outcome = verdict.refusal ? 'refused' : 'admitted';
  usage.count(caller, operation?.id ?? UNKNOWN_OPERATION, outcome);
}

/** Without the query, and without a key that was put there by mistake. */
export function loggedPathOf(request: FastifyRequest): string {
  const path = pathIn(request.raw.url!);
  return mayHoldApiKey(path) ? path.replace(/psk_\w*/g, 'psk_…') : path;
}

function isMetered({ state }: FastifyRequest): boolean {
  return state.operation?.metering === undefined && !state.isBlocked;
}
