import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { StepResult } from './step.ts';

const HEADERS_MAX = 100;
const HOST_SHAPE = /^[A-Za-z0-9._~:[\]-]{1,255}$/;
const SINGLE = new Set(['host', 'authorization', 'x-api-key', 'idempotency-key', 'content-type']);

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
