import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody, errorHeaders, refusalOf } from './error-reply.ts';
import { type Books, pathOf } from './hooks/finish.ts';
import { type LimitOptions, limitAddress } from './hooks/limit.ts';
import { rateHeaders } from './rate-headers.ts';
import type { RequestState } from './request-state.ts';
import { addHeaders, addVersion, firstHeaders, JSON_TYPE, respond } from './respond.ts';
import { API_PREFIX } from './version.ts';

/** Answers whatever was thrown, in the one shape that errors have. */
export function answerError(limits: LimitOptions, { log, metrics }: Books) {
  return async (err: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = refusalOf(err);
    if (refusal.status >= 500) log.error({ err, requestId: request.id, path: pathOf(request) });
    if (!request.state) {
      // No hook has seen a path that cannot be decoded.
      request.state = { headers: firstHeaders(request.id) } as RequestState;
      metrics.countRaw(refusal.status);
      log.info({ requestId: request.id, status: refusal.status, code: refusal.code });
    }
    const { state } = request;
    state.errorCode = refusal.code;
    const isPage = state.isUnderstood && request.server.prefix !== API_PREFIX;
    if (!isPage && !state.verdict) {
      // Whatever failed came before the limiter, so the address answers for it.
      const verdict = await limitAddress(request.ip, limits);
      addHeaders(state.headers, { ...rateHeaders(verdict, limits.clock.now()) });
      if (!state.headers.includes('x-api-version')) addVersion(state.headers);
    }
    const headers = { ...errorHeaders(refusal.code), 'content-type': JSON_TYPE };
    const body = JSON.stringify(errorBody(refusal, request.id));
    return respond(request, reply, refusal.status, headers, body);
  };
}
