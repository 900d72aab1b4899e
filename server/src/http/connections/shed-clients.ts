import type { Socket } from 'node:net';
import { type Connections, updateReading } from './connections.ts';

/** At least what Retry-After says. */
const BACK_OFF_MS = 1_000;

/**
 * Makes shed clients back off: until their Retry-After is over, nothing is read from them. Thousands of clients that
 * retry at once would otherwise leave no time for the requests that are served.
 */
export class ShedClients {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Starts when the response is written. Until then Node reads on, because a body may still arrive. */
  backOff(socket: Socket): void {
    const connection = this.#connections.find(socket);
    connection?.response?.once('close', () => {
      if (connection.isBackingOff || connection.isClosing) return;
      connection.isBackingOff = true;
      updateReading(connection);
      setTimeout(() => {
        connection.isBackingOff = false;
        updateReading(connection);
      }, BACK_OFF_MS).unref();
    });
  }
}
