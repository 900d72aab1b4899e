// The steps that every request takes first: its state, the checks of its head, and a reference to it if it has a body.

import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { Coalescer } from '../../lib/coalescer.ts';
import type { Connections } from '../connections/connections.ts';
import { initialiseState } from '../request/request-state.ts';
import type { StartTrace } from '../request/trace.ts';
import { addVersion, securityHeaders } from '../response/headers.ts';
import type { Step, StepResult } from './step.ts';

const HEADERS_MAX = 100;
const HOST_SHAPE = /^[A-Za-z0-9._~:[\]-]{1,255}$/;
const SINGLE = new Set(['host', 'authorization', 'x-api-key', 'idempotency-key', 'content-type']);

/** Every request starts here, so this is where a tick that has lasted too long is ended. */
export function startRequest(coalescer: Coalescer, startTrace: StartTrace): Step {
  return (request) => {
    initialiseState(request);
    startTrace(request);
    coalescer.endLongTick(request.state.startedAt);
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

/** Refuses requests that Node accepts although two HTTP implementations could read them differently. */
export function guardRequest(request: FastifyRequest): StepResult {
  const fault = faultOf(request);
  // Where this request ends and the next begins is in doubt, so nothing more is read from this client.
  if (fault) request.state.closesConnection = true;
  return fault;
}

function faultOf({ raw }: FastifyRequest): Refusal | undefined {
  const { rawHeaders, headers } = raw;
  if (raw.httpVersion !== '1.1' && raw.httpVersion !== '1.0') {
    return invalid('Only HTTP/1.1 and HTTP/1.0 are supported.');
  }
  if (raw.url!.charCodeAt(0) !== 47 || raw.url!.includes('#')) {
    return invalid('The request target must be a path.');
  }
  if (headers.host === undefined) {
    if (raw.httpVersion === '1.1') return invalid('The Host header is missing.');
  } else if (!HOST_SHAPE.test(headers.host)) {
    return invalid('The Host header is not a host.');
  }
  if (headers['transfer-encoding'] !== undefined && !isPlainlyChunked(raw)) {
    return invalid('The only supported Transfer-Encoding is chunked, in HTTP/1.1.');
  }
  if (rawHeaders.length > HEADERS_MAX * 2) return new Refusal('headers_too_large');
  // Node has one entry for all headers of a name.
  const hasRepeated = Object.keys(headers).length < rawHeaders.length / 2;
  return hasRepeated ? repeatedHeader(rawHeaders) : undefined;
}

function isPlainlyChunked({ headers, httpVersion }: IncomingMessage): boolean {
  return headers['transfer-encoding']!.toLowerCase() === 'chunked' && httpVersion === '1.1';
}

function repeatedHeader(rawHeaders: string[]): Refusal | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen.has(name)) return invalid(`The ${name} header is given more than once.`);
    seen.add(name);
  }
  return undefined;
}

function invalid(message: string): Refusal {
  return new Refusal('invalid_request', { message });
}

/**
 * Stores a request that has a body on its connection, where RawErrors finds it. A WeakMap keyed by request would retain
 * every request until the next full garbage collection.
 */
export function trackBody(connections: Connections): Step {
  return (request, reply) => {
    const { headers, socket } = request.raw;
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
      // Fastify would wait for a body that has a type.
      if (headers['content-type'] !== undefined) headers['content-type'] = undefined;
      return undefined;
    }
    const connection = connections.find(socket);
    if (connection) connection.exchange = { request, reply };
    // Node loses what arrives in the same read as the end of such a body, so no request may follow it.
    if (headers.upgrade !== undefined) request.state.closesConnection = true;
    return undefined;
  };
}
