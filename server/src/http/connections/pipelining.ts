import type { IncomingMessage, RequestListener } from 'node:http';
import {
  type Connection,
  type Connections,
  hangUp,
  isBusy,
  type QueuedRequest,
  updateReading,
} from './connections.ts';
import type { Drain } from './drain.ts';

/** With more requests queued on a connection, nothing more is read from it. */
const QUEUED_MAX = 16;
/** A client that sends more requests than this after the end of our side is disconnected. */
const IGNORED_MAX = 10_000;

/**
 * Runs the requests of one connection one after the other, each when the response before it is written. Node would
 * start all of them at once: a client that sends many and reads nothing could fill the memory with responses, and
 * an error that is written straight to the socket could overtake a response that is due.
 */
export class Pipelining {
  readonly #connections: Connections;
  readonly #drain: Drain;

  constructor(connections: Connections, drain: Drain) {
    this.#connections = connections;
    this.#drain = drain;
  }

  /** Wraps the handler of a server's requests. */
  serially(handle: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.#connections.find(request.socket);
      if (!connection) return;
      if (!this.#drain.admits(connection)) return ignore(connection, request);
      if (isBusy(connection)) this.#enqueue(connection, { request, response }, handle);
      else start(connection, { request, response }, handle);
    };
  }

  #enqueue(connection: Connection, queued: QueuedRequest, handle: RequestListener): void {
    connection.hasPipelined = true;
    connection.queue.push(queued);
    if (connection.queue.length > QUEUED_MAX) {
      connection.isQueueFull = true;
      updateReading(connection);
    }
    if (connection.queue.length === 1) this.#startNextAfter(connection, handle);
  }

  #startNextAfter(connection: Connection, handle: RequestListener): void {
    connection.response!.once('close', () => {
      const next = connection.queue.shift();
      // Behind a response that closes the connection nothing can be answered, so nothing is started.
      if (!next || !connection.socket.writable) return;
      if (this.#drain.isTooLateToStart) return hangUp(connection);
      start(connection, next, handle);
      if (connection.queue.length > 0) this.#startNextAfter(connection, handle);
      if (!connection.isQueueFull) return;
      // Node has resumed reading at the end of the last response.
      connection.isQueueFull = connection.queue.length > 0;
      updateReading(connection);
    });
  }
}

/** Reads the body of a request that is not started: the end of the client's side stands behind it. */
function ignore(connection: Connection, request: IncomingMessage): void {
  connection.ignored++;
  if (connection.ignored > IGNORED_MAX) connection.socket.destroy();
  else request.resume();
}

function start(
  connection: Connection,
  { request, response }: QueuedRequest,
  handle: RequestListener,
): void {
  const now = performance.now();
  connection.longestPauseMs = Math.max(connection.longestPauseMs, now - connection.lastActiveAt);
  connection.lastActiveAt = now;
  connection.request = request;
  connection.response = response;
  connection.exchange = undefined;
  handle(request, response);
}
