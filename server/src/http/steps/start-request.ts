import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Coalescer } from '../../lib/coalescer.ts';
import { addVersion, firstHeaders, securityHeaders } from '../response/headers.ts';
import type { Step } from './step.ts';

/** Every request starts here, so this is where a tick that has lasted too long is ended. */
export function startRequest(coalescer: Coalescer): Step {
  return (request) => {
    initialiseState(request);
    coalescer.endLongTick(request.state.startedAt);
  };
}

export function initialiseState(request: FastifyRequest): void {
  const { operation, lifecycle } = request.routeOptions.config;
  request.state = {
    startedAt: performance.now(),
    operation,
    lifecycle,
    headers: firstHeaders(request.id),
    rateHeaders: [],
    isPage: false,
    closesConnection: false,
    caller: undefined,
    identityRefusal: undefined,
    verdict: undefined,
    operationStatus: undefined,
    errorCode: undefined,
  };
}

export function addVersionHeader(request: FastifyRequest): undefined {
  addVersion(request.state.headers);
}

/** Pages are sent through the framework, which has its own list of headers. */
export function setPageHeaders(request: FastifyRequest, reply: FastifyReply): undefined {
  request.state.isPage = true;
  reply.headers(securityHeaders).header('x-request-id', request.id);
}
