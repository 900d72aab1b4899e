import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVersion, firstHeaders, securityHeaders } from '../respond.ts';

/** Opens the books on a request. */
export function begin(request: FastifyRequest): undefined {
  const { operation } = request.routeOptions.config;
  request.state = {
    startedAt: performance.now(),
    operation,
    headers: firstHeaders(request.id),
    rateHeadersAt: 0,
    marks: undefined,
    isUnderstood: false,
    caller: undefined,
    identityRefusal: undefined,
    verdict: undefined,
    errorCode: undefined,
  };
}

export function showVersion(request: FastifyRequest): undefined {
  addVersion(request.state.headers);
}

/** Pages are answered through the framework, which has its own list of headers. */
export function headPage(request: FastifyRequest, reply: FastifyReply, done: () => void) {
  reply.headers(securityHeaders).header('x-request-id', request.id);
  done();
}
