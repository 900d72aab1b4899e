import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_VERSION } from '../contract/version.ts';
import { addressBucket } from '../lib/network/address-bucket.ts';
import type { LimitOptions } from './request/charge.ts';
import { headerRecord, securityHeaders } from './response/headers.ts';
import { rateHeaders } from './response/rate-headers.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ALLOWED_HEADERS = [
  'Authorization',
  'X-API-Key',
  'Accept',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Request-Id',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
];
const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'X-Request-Id',
  'X-API-Version',
  'X-Stability',
  'Dry-Run',
  'Link',
  'Events-Cursor',
  'Location',
  'ETag',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
];
const PREFLIGHT_KEPT_SECONDS = 7_200;

/**
 * Lets pages of exactly these origins call the service. A preflight needs no key and is not counted. Like every
 * response it carries the rate-limit headers of its address.
 */
export async function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  limits: LimitOptions,
): Promise<void> {
  app.addHook('onRequest', setPreflightHeaders(limits));
  await app.register(cors, {
    delegator: (request, decide) => {
      const { origin, 'access-control-request-method': method } = request.headers;
      const options: FastifyCorsOptions = {
        origin: origin !== undefined && origins.includes(origin) ? origin : false,
        preflight: method !== undefined,
        methods: METHODS,
        allowedHeaders: ALLOWED_HEADERS,
        exposedHeaders: EXPOSED_HEADERS,
        maxAge: PREFLIGHT_KEPT_SECONDS,
      };
      decide(null, options);
    },
  });
  app.addHook('onRequest', copyCorsHeaders);
}

/** The plugin sets headers on Fastify's reply; responses of operations are sent past it. */
function copyCorsHeaders(request: FastifyRequest, reply: FastifyReply, done: () => void) {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (/^(vary|access-control-)/.test(name)) request.state.headers.push(name, String(value));
  }
  done();
}

function setPreflightHeaders({ limiter, addressPerMinute }: LimitOptions) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method !== 'OPTIONS') return;
    const verdict = await limiter.peekBucket(addressBucket(request.ip), addressPerMinute);
    reply.headers({ ...headerRecord(rateHeaders(verdict)), ...securityHeaders });
    reply.headers({ 'x-request-id': request.id, 'x-api-version': API_VERSION });
  };
}
