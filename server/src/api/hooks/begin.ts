import type { FastifyReply, FastifyRequest } from 'fastify';
import { endLongTurn } from '../../lib/turn.ts';
import { firstLines, securityHeaders, VERSION_LINE } from '../respond.ts';

/** Opens the books on a request. */
export function begin(request: FastifyRequest): undefined {
  const { operation } = request.routeOptions.config;
  const startedAt = performance.now();
  endLongTurn(startedAt);
  request.state = {
    startedAt,
    operation,
    lines: firstLines(request.id),
    rateLines: '',
    marks: undefined,
    isUnderstood: false,
    isLast: false,
    caller: undefined,
    identityRefusal: undefined,
    verdict: undefined,
    errorCode: undefined,
  };
}

export function showVersion(request: FastifyRequest): undefined {
  request.state.lines += VERSION_LINE;
}

/** Pages are answered through the framework, which has its own list of headers. */
export function headPage(request: FastifyRequest, reply: FastifyReply): undefined {
  reply.headers(securityHeaders).header('x-request-id', request.id);
}
