import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody, errorHeaders, refusalOf } from './error-reply.ts';
import { begin } from './hooks/begin.ts';
import { type Books, pathOf } from './hooks/finish.ts';
import { type LimitOptions, limitAddress } from './hooks/limit.ts';
import { rateLines } from './rate-headers.ts';
import { JSON_TYPE, prepare, type Respond, VERSION_LINE } from './respond.ts';
import { API_PREFIX } from './version.ts';

export type AnswerError = (err: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Answers whatever was thrown, in the one shape that errors have. */
export function answerError(limits: LimitOptions, { log }: Books, respond: Respond): AnswerError {
  return (err, request, reply) => {
    const refusal = refusalOf(err);
    if (refusal.status >= 500) log.error({ err, requestId: request.id, path: pathOf(request) });
    // No hook has seen a path that cannot be decoded.
    if (!request.state) begin(request);
    const { state } = request;
    state.errorCode = refusal.code;
    // The rest of a body that is too large is not read, so nothing can follow it.
    if (refusal.status === 413) state.isLast = true;
    const answer = () => {
      const headers = { ...errorHeaders(refusal.code), 'content-type': JSON_TYPE };
      const body = JSON.stringify(errorBody(refusal, request.id));
      respond(request, reply, prepare({ status: refusal.status, headers, body }));
    };
    const isPage = state.isUnderstood && request.server.prefix !== API_PREFIX;
    if (isPage || state.verdict) return answer();
    // Whatever failed came before the limiter, so the address answers for it.
    reply.hijack();
    void limitAddress(request.ip, limits)
      .then((verdict) => {
        state.rateLines = rateLines(verdict);
      })
      .catch((failure: unknown) => log.error({ err: failure, requestId: request.id }))
      .finally(() => {
        if (!state.lines.includes(VERSION_LINE)) state.lines += VERSION_LINE;
        answer();
      });
  };
}
