import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Step } from './step.ts';

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Requests with a body, to be found by code that knows only their connection: a body may never arrive. */
export type RequestsWithBody = WeakMap<IncomingMessage, Exchange>;

export function prepareBody(requestsWithBody: RequestsWithBody): Step {
  return (request, reply) => {
    const { headers } = request.raw;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
      // Fastify would wait for a body that has a type.
      if (headers['content-type'] !== undefined) headers['content-type'] = undefined;
      return undefined;
    }
    requestsWithBody.set(request.raw, { request, reply });
    // Node loses what arrives in the same read as the end of such a body, so no request may follow it.
    if (headers.upgrade !== undefined) request.state.closesConnection = true;
    return undefined;
  };
}
