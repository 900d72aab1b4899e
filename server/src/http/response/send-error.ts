import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../domain/errors.ts';
import type { Verdict } from '../../limits/limiter.ts';
import { type LimitOptions, limitAddress } from '../request/charge.ts';
import { initialiseState } from '../request/request-state.ts';
import { errorResponse, toRefusal } from './error-response.ts';
import { addVersion } from './headers.ts';
import { rateHeaders } from './rate-headers.ts';
import { loggedPathOf, type Telemetry } from './record-request.ts';
import type { SendResponse } from './send-response.ts';

export type SendError = (err: unknown, request: FastifyRequest, reply: FastifyReply) => void;

interface ErrorSenderOptions {
  limits: LimitOptions;
  telemetry: Telemetry;
  sendResponse: SendResponse;
}

/** Sends whatever was thrown in the one shape of all errors. */
export function errorSender(options: ErrorSenderOptions): SendError {
  const { limits, sendResponse } = options;
  const { log } = options.telemetry;
  return (err, request, reply) => {
    const refusal = toRefusal(err, request);
    // Shedding is no failure, and the access log has it.
    if (refusal.status >= 500 && refusal.code !== 'overloaded') {
      log.error({ err, requestId: request.id, path: loggedPathOf(request) }, 'a request failed');
    }
    // No step has seen a path that cannot be decoded.
    if (!request.state) initialiseState(request);
    const { state } = request;
    state.errorCode = refusal.code;
    // The rest of the body is not worth reading.
    if (refusal.status === 413) state.closesConnection = true;
    const send = () => sendResponse(request, reply, errorResponse(refusal, request.id));
    const isCounted = state.verdict !== undefined;
    if (state.isPage || (isCounted && !isRefusedLater(refusal, state.verdict!))) return send();
    reply.hijack();
    void refusingVerdict(request, refusal, limits)
      .then((verdict) => {
        state.rateHeaders = rateHeaders(verdict);
      })
      .catch((failure: unknown) => log.error({ err: failure, requestId: request.id }))
      .finally(() => {
        if (!isCounted) addVersion(state.headers);
        send();
      });
  };
}

/** Whether a limit has refused that the limiter did not know of when it admitted the request. */
function isRefusedLater({ code, perMinute }: Refusal, admitted: Verdict): boolean {
  return perMinute !== undefined || (code === 'key_banned' && !admitted.refusal);
}

/** The verdict that the rate-limit headers of a refusal describe. */
async function refusingVerdict(
  { ip, state }: FastifyRequest,
  refusal: Refusal,
  limits: LimitOptions,
): Promise<Verdict> {
  const { verdict, caller } = state;
  // The failure came before the limiter.
  if (!verdict) return limitAddress(ip, refusal, limits);
  const { perMinute, retryAfterSeconds = 0 } = refusal;
  // The key was banned while the request waited.
  if (perMinute === undefined) return limits.limiter.peek(caller!);
  const { at } = verdict;
  const resetAt = at + retryAfterSeconds * 1000;
  return { at, windows: [{ name: 'minute', limit: perMinute, remaining: 0, resetAt }] };
}
