import type { FastifyRequest } from 'fastify';
import type { Coalescer } from '../../lib/coalescer.ts';
import { firstHeaders } from '../response/headers.ts';
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
