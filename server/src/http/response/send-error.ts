import type { FastifyReply, FastifyRequest } from 'fastify';
import { initialiseState } from '../request/request-state.ts';
import { type LimitOptions, limitAddress } from '../steps/limit.ts';
import { errorResponse, toRefusal } from './errors.ts';
import { addVersion } from './headers.ts';
import { rateHeaders } from './rate-headers.ts';
import { pathOf, type Telemetry } from './record-request.ts';
import type { SendResponse } from './send.ts';

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
    const refusal = toRefusal(err);
    // Shedding is no failure, and the access log has it.
    if (refusal.status >= 500 && refusal.code !== 'overloaded') {
      log.error({ err, requestId: request.id, path: pathOf(request) }, 'a request failed');
    }
    // No step has seen a path that cannot be decoded.
    if (!request.state) initialiseState(request);
    const { state } = request;
    state.errorCode = refusal.code;
    // The rest of the body is not worth reading.
    if (refusal.status === 413) state.closesConnection = true;
    const send = () => sendResponse(request, reply, errorResponse(refusal, request.id));
    if (state.isPage || state.verdict) return send();
    // The failure came before the limiter.
    reply.hijack();
    void limitAddress(request.ip, refusal, limits)
      .then((verdict) => {
        state.rateHeaders = rateHeaders(verdict);
      })
      .catch((failure: unknown) => log.error({ err: failure, requestId: request.id }))
      .finally(() => {
        addVersion(state.headers);
        send();
      });
  };
}
