import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_PREFIX } from '../../contract/version.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { type Books, pathOf } from '../steps/finish-request.ts';
import { type LimitOptions, limitAddress } from '../steps/limit.ts';
import { initialiseState } from '../steps/start-request.ts';
import { errorHeaders, errorText, refusalOf } from './errors.ts';
import { rateLines } from './rate-headers.ts';
import { headerLines, JSON_TYPE, type Respond, VERSION_LINE } from './send.ts';

export type SendError = (err: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Answers whatever was thrown, in the one shape that errors have. */
export function errorSender(limits: LimitOptions, { log }: Books, respond: Respond): SendError {
  return (err, request, reply) => {
    const refusal = refusalOf(err);
    if (refusal.status >= 500) log.error({ err, requestId: request.id, path: pathOf(request) });
    // No hook has seen a path that cannot be decoded.
    if (!request.state) initialiseState(request);
    const { state } = request;
    state.errorCode = refusal.code;
    // The rest of a body that is too large is not read, so nothing can follow it.
    if (refusal.status === 413) state.isLast = true;
    const answer = () => {
      const body = errorText(refusal, request.id);
      respond(request, reply, {
        status: refusal.status,
        lines: linesOf(refusal.code),
        link: undefined,
        body,
        length: Buffer.byteLength(body),
      });
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

const written = new Map<ErrorCode, string>();

function linesOf(code: ErrorCode): string {
  let lines = written.get(code);
  if (lines === undefined) {
    lines = headerLines({ ...errorHeaders(code), 'content-type': JSON_TYPE });
    written.set(code, lines);
  }
  return lines;
}
