import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { type Connection, type Connections, hangUp, isBusy, updateReading } from './connections.ts';

interface DrainOptions {
  /** The server listens until no connection was opened for `noArrivalsMs`, but for `arrivalsMaxMs` at most. */
  noArrivalsMs: number;
  arrivalsMaxMs: number;
  /** An idle connection is closed after three times its client's longest pause, within these two bounds. */
  quietMinMs: number;
  quietMaxMs: number;
  /** Clients that never stop pipelining are cut off after this long. */
  pipelinedMaxMs: number;
  /** After this long no queued request is started: its response might be cut off. */
  startMaxMs: number;
  /** Requests whose body has not come by then are refused. */
  bodyMaxMs: number;
  /** Whatever is still open by then is destroyed. */
  totalMs: number;
}

const DEFAULTS: DrainOptions = {
  noArrivalsMs: 200,
  arrivalsMaxMs: 1_500,
  quietMinMs: 300,
  quietMaxMs: 2_000,
  pipelinedMaxMs: 500,
  startMaxMs: 5_000,
  bodyMaxMs: 6_000,
  // The notice of `serve` and `arrivalsMaxMs` come before it. The sum stays below the 10 s that docs/running.md promises.
  totalMs: 7_000,
};
const CHECK_MS = 50;
const TICKS_MAX = 5_000;

/**
 * Closes all connections without losing a request. Each response says that it is the last on its connection. A
 * connection without a request is closed once it has been quiet for longer than its client usually pauses, since
 * a request may be on its way. A pipelining client has sent further requests by the time it reads "Connection: close",
 * so only our side of its connection is ended.
 */
export class Drain {
  readonly #connections: Connections;
  readonly #options: DrainOptions;
  #startedAt: number | undefined;

  constructor(connections: Connections, options: Partial<DrainOptions> = {}) {
    this.#connections = connections;
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Stops listening and resolves when every connection is closed. */
  async run(server: Server, refuseIncomplete: () => void): Promise<void> {
    await this.#untilNoArrivals();
    this.#startedAt = performance.now();
    for (const connection of this.#connections) {
      connection.isBackingOff = false;
      updateReading(connection);
    }
    const closed = once(server, 'close');
    // `close` of http.Server would also destroy idle connections, with requests that are on their way.
    NetServer.prototype.close.call(server);
    // The check comes after the sockets were read: requests may have arrived while the process was busy. What has come since
    // the reading is not known yet, so how long a connection has been quiet is measured before it.
    const closing = setInterval(() => {
      const now = performance.now();
      setImmediate(() => this.#closeQuiet(now));
    }, CHECK_MS);
    const refusing = setTimeout(refuseIncomplete, this.#options.bodyMaxMs);
    const cutting = setTimeout(() => server.closeAllConnections(), this.#options.totalMs);
    await closed;
    clearInterval(closing);
    clearTimeout(refusing);
    clearTimeout(cutting);
  }

  /** Whether a request that arrives on this connection may be started. */
  admits(connection: Connection): boolean {
    if (this.#isLate() && isBusy(connection) && !connection.isClosing) {
      this.#closeAfterQueue(connection);
    }
    return !connection.isClosing;
  }

  /** Marks the connection as closing if the response about to be written is its last. Returns whether it is. */
  markLastResponse(socket: Socket): boolean {
    if (this.#startedAt === undefined) return false;
    const connection = this.#connections.find(socket);
    if (!connection || connection.isClosing) return false;
    if (connection.hasPipelined) {
      if (this.#isLate()) this.#closeAfterQueue(connection);
      return false;
    }
    connection.isClosing = true;
    return true;
  }

  get isTooLateToStart(): boolean {
    return this.#elapsedMs() > this.#options.startMaxMs;
  }

  #isLate(): boolean {
    return this.#elapsedMs() > this.#options.pipelinedMaxMs;
  }

  /** Zero before the drain. */
  #elapsedMs(): number {
    return this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
  }

  #closeAfterQueue(connection: Connection): void {
    connection.isClosing = true;
    const hangUpWhenAnswered = () => {
      if (connection.queue.length === 0 && !isBusy(connection)) hangUp(connection);
      else connection.response!.once('close', () => setImmediate(hangUpWhenAnswered));
    };
    hangUpWhenAnswered();
  }

  /**
   * Closing the listener resets connections that are not accepted yet, with the requests sent on them. So the
   * server listens until none was opened for a while, since a balancer may be slow to notice; and then, as
   * Node accepts one connection per tick, until a tick passes without one.
   */
  async #untilNoArrivals(): Promise<void> {
    const { noArrivalsMs, arrivalsMaxMs } = this.#options;
    const deadline = performance.now() + arrivalsMaxMs;
    const isQuiet = () => performance.now() - this.#connections.lastOpenedAt >= noArrivalsMs;
    while (!isQuiet() && performance.now() < deadline) await pause(CHECK_MS);
    for (let ticks = 0, seen = -1; seen !== this.#connections.lastOpenedAt; ticks++) {
      if (ticks === TICKS_MAX) return;
      seen = this.#connections.lastOpenedAt;
      await immediate();
    }
  }

  #closeQuiet(now: number): void {
    for (const connection of this.#connections) {
      if (isBusy(connection) || connection.isClosing) continue;
      const { socket } = connection;
      if (socket.bytesRead !== connection.bytesRead) {
        connection.bytesRead = socket.bytesRead;
        connection.lastActiveAt = now;
      } else if (
        now - Math.max(this.#startedAt!, connection.lastActiveAt) >=
        this.#quietMs(connection)
      ) {
        socket.destroy();
      }
    }
  }

  #quietMs({ request, longestPauseMs }: Connection): number {
    const { quietMinMs, quietMaxMs } = this.#options;
    // A client that has connected but sent nothing is about to send a request.
    return request ? Math.min(quietMaxMs, Math.max(quietMinMs, longestPauseMs * 3)) : quietMaxMs;
  }
}
