import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Coalescer } from '../../lib/coalescer.ts';
import { firstLines, securityHeaders, VERSION_LINE } from '../response/send.ts';
import type { Step } from './step.ts';

/** Every request starts here, so this is where a tick that has lasted too long is ended. */
export function startRequest(coalescer: Coalescer): Step {
  return (request) => {
    initialiseState(request);
    coalescer.endLongTick(request.state.startedAt);
  };
}

export function initialiseState(request: FastifyRequest): void {
  request.state = {
    startedAt: performance.now(),
    operation: request.routeOptions.config.operation,
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
