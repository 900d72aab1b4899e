import type { RequestListener, Server } from 'node:http';
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
