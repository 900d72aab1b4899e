import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request that waits until the one before it on its connection is answered. */
export interface QueuedRequest {
  request: IncomingMessage;
  response: ServerResponse;
}

/** A request as Fastify sees it. */
interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** What is known of one client connection. */
export interface Connection {
  readonly socket: Socket;
  /** The latest request that was started, and its response. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** The same request as Fastify sees it, if it has a body. RawErrors refuses it when its body never arrives. */
  exchange: Exchange | undefined;
  queue: QueuedRequest[];
  /** Whether its client has ever sent a request before the previous one was answered. */
  hasPipelined: boolean;
  /** Whether no further request is started on it. */
  isClosing: boolean;
  /** How many requests arrived after it was closing. */
  ignored: number;
  /** While either of these two is true, nothing is read from it. */
  isQueueFull: boolean;
  isBackingOff: boolean;
  /** When it was opened, or its latest request was started, or the drain last saw bytes arrive. */
  lastActiveAt: number;
  /** The longest time between two requests. */
  longestPauseMs: number;
  /** How many bytes had arrived when the drain looked last. */
  bytesRead: number;
}

/** How long a client may take to read the last response before its connection is destroyed. */
const LINGER_MS = 5_000;

/** The open connections of a server. */
export class Connections implements Iterable<Connection> {
  readonly #open = new Map<Socket, Connection>();
  #lastOpenedAt = 0;

  track(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#lastOpenedAt = performance.now();
      this.#open.set(socket, newConnection(socket, this.#lastOpenedAt));
      // Node keeps what it has read once, for when the client is gone.
      void socket.remoteAddress;
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  get lastOpenedAt(): number {
    return this.#lastOpenedAt;
  }

  find(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.values();
  }
}

/** Whether a response is due on the connection or still being written. */
export function isBusy({ response }: Connection): boolean {
  return response !== undefined && !response.writableFinished;
}

/** Whether the body of its request is incomplete and nothing of the response was sent. */
export function isBodyIncomplete({ request, response }: Connection): boolean {
  return request?.complete === false && response?.headersSent === false;
}

/** Whether the body of the request has not arrived in full. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  const hasBody =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody && !complete;
}

/** Reads from the connection, unless its queue is full or its client backs off. */
export function updateReading({ socket, isQueueFull, isBackingOff }: Connection): void {
  if (isQueueFull || isBackingOff) socket.pause();
  else socket.resume();
}

/**
 * Ends our side of the connection. What the client still sends is read until it ends its side, and ignored: a socket that
 * is closed with unread bytes resets the connection, which can cost the client the responses that it has not read.
 */
export function hangUp(connection: Connection): void {
  const { socket } = connection;
  connection.isClosing = true;
  connection.queue = [];
  connection.isQueueFull = false;
  connection.isBackingOff = false;
  socket.end();
  connection.request?.resume();
  updateReading(connection);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function newConnection(socket: Socket, openedAt: number): Connection {
  return {
    socket,
    request: undefined,
    response: undefined,
    exchange: undefined,
    queue: [],
    hasPipelined: false,
    isClosing: false,
    ignored: 0,
    isQueueFull: false,
    isBackingOff: false,
    lastActiveAt: openedAt,
    longestPauseMs: 0,
    bytesRead: 0,
  };
}
