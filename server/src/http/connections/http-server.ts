import type { RequestListener, Server } from 'node:http';
import { isIPv6 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createServer } from '../../lib/node-http.ts';

/** How long slow, stuck and idle clients are waited for. Node enforces all of it. */
export interface Timeouts {
  headersMs: number;
  /** Head and body together. */
  requestMs: number;
  /** A connection on which nothing moves for this long is closed: it is idle, or its client does not read. */
  inactiveMs: number;
  /** How often Node looks for late heads and bodies. */
  checkEveryMs: number;
}

const DEFAULTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  inactiveMs: 65_000,
  checkEveryMs: 1_000,
};

export function createHttpServer(handle: RequestListener, timeouts: Partial<Timeouts>): Server {
  const { headersMs, requestMs, inactiveMs, checkEveryMs } = { ...DEFAULTS, ...timeouts };
  const options = {
    // steps/opening.ts refuses a missing Host header in the shape of all errors.
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
    // Otherwise Node resets a second timer for each request. The socket timeout closes idle connections too.
    keepAliveTimeout: 0,
  };
  return createServer(options, handle).setTimeout(inactiveMs);
}

/** Beyond this many unaccepted connections the operating system drops new ones; clients retry after a second. */
const BACKLOG = 4_096;

/** Starts to listen. Returns the URL at which the server is reached. */
export async function listen(
  { fastify }: { fastify: FastifyInstance },
  { host, port }: { host: string; port: number },
): Promise<string> {
  // For `localhost` Fastify would open a second server, on which the handlers of raw errors are missing.
  const address = host === 'localhost' ? '127.0.0.1' : host;
  await fastify.listen({ host: address, port, backlog: BACKLOG });
  const bound = fastify.server.address();
  const boundPort = typeof bound === 'object' && bound ? bound.port : port;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${boundPort}`;
}
