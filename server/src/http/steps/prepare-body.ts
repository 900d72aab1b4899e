import type { Connections } from '../connections/connections.ts';
import type { Step } from './step.ts';

/**
 * Stores a request that has a body on its connection, where RawErrors finds it. A WeakMap keyed by request would retain
 * every request until the next full garbage collection.
 */
export function prepareBody(connections: Connections): Step {
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
