import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVersion, securityHeaders } from '../response/headers.ts';

export function addVersionHeader(request: FastifyRequest): undefined {
  addVersion(request.state.headers);
}

/** Pages are sent through the framework, which has its own list of headers. */
export function setPageHeaders(request: FastifyRequest, reply: FastifyReply): undefined {
  request.state.isPage = true;
  reply.headers(securityHeaders).header('x-request-id', request.id);
}
