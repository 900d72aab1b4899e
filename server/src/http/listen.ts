import { isIPv6 } from 'node:net';
import type { HttpServer } from './server.ts';

/** Beyond this many unaccepted connections the operating system drops new ones; clients retry after a second. */
const BACKLOG = 4_096;

/** Starts to listen. Returns the URL at which the server is reached. */
export async function listen(
  { fastify }: HttpServer,
  { host, port }: { host: string; port: number },
): Promise<string> {
  // For `localhost` Fastify would open a second server, on which the handlers of raw errors are missing.
  const address = host === 'localhost' ? '127.0.0.1' : host;
  await fastify.listen({ host: address, port, backlog: BACKLOG });
  const bound = fastify.server.address();
  const boundPort = typeof bound === 'object' && bound ? bound.port : port;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${boundPort}`;
}
