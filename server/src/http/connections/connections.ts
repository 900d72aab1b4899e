import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

const UNFINISHED_MS = 6_000;
const FOLLOWED_MS = 500;
const WAITING_MS = 5_000;
const LINGER_MS = 300;
const CHECK_MS = 50;
const NOBODY_MS = 200;
const COMING_MAX_MS = 1_500;
const TURNS_MAX = 5_000;
const QUIET_MIN_MS = 300;
const QUIET_MAX_MS = 2_000;
/** What Retry-After says, at the least. */
const PUT_OFF_MS = 1_000;
/** So many requests may wait behind the one in work before no more is read from their connection. */
const WAITING_MAX = 16;

interface Connection {
  request?: IncomingMessage;
  response?: ServerResponse;
  /** When it was opened or last asked for something. */
  askedAt: number;
  /** The longest it has kept quiet between two requests. */
  longestPauseMs: number;
  bytesRead: number;
  /** Requests that came while another was in work. */
  waiting: number;
  /** Whether Node's own timer looks after it. */
  isTimed: boolean;
  /** Reads on, where nothing is read from it for a while. */
  readOn?: NodeJS.Timeout;
}

/**
 * Which connections are open, and what each of them was last asked. The requests of one are handled one after the
 * other, each when the answer before it has been taken: Node would start all of them at once, and a client
 * that sends many and reads nothing could fill the memory with answers. And whoever writes to a socket behind
 * Node's back must not get in front of an answer that is still due on it.
 */
export class Connections {
  static lookEveryMs = 5_000;
  /** A client that takes nothing of its answer for so long is dropped. */
  static stuckMs = 60_000;

  readonly #open = new Map<Socket, Connection>();
  #leavingSince: number | undefined;
  #lastComeAt = 0;

  /** From here on, closing the server lets go of its connections; see `#letGo`. */
  attach(server: Server, refuseUnfinished: () => void): void {
    this.#serveInTurn(server);
    const looking = setInterval(() => this.#look(server), Connections.lookEveryMs).unref();
    server.once('close', () => clearInterval(looking));
    const { close } = server;
    server.close = (done) => {
      if (this.#leavingSince !== undefined) return close.call(server, done);
      void this.#whenNobodyComes().then(() => {
        this.#letGo(server, refuseUnfinished);
        close.call(server, done);
      });
      return server;
    };
    server.on('connection', (socket: Socket) => {
      const askedAt = performance.now();
      this.#lastComeAt = askedAt;
      this.#open.set(socket, {
        askedAt,
        longestPauseMs: 0,
        bytesRead: 0,
        waiting: 0,
        isTimed: false,
      });
      socket.once('close', () => this.#open.delete(socket));
      // Node would set its timer anew before and after each request; see `#look`.
      socket.setTimeout = () => socket;
    });
  }

  /**
   * For whoever was turned away: he was told to wait, and what he asks for sooner is read no sooner. Thousands who come again
   * at once would otherwise leave no time for those who were not turned away.
   */
  putOff(socket: Socket): void {
    const connection = this.#open.get(socket);
    // Node itself reads on until the answer is written, for a body may still be coming.
    connection?.response?.once('close', () => {
      if (this.#leavingSince !== undefined) return;
      socket.pause();
      connection.readOn ??= setTimeout(() => readOn(socket, connection), PUT_OFF_MS).unref();
    });
  }

  #serveInTurn(server: Server): void {
    const listeners = server.listeners('request');
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const connection = this.#open.get(socket);
      if (!connection) return;
      const before = connection.response;
      if (!this.#isTaken(connection, request, response)) return;
      if (!before || before.writableFinished) handle(request, response);
      else {
        waitFor(before, connection, socket, () => {
          if (this.#isTooLate()) socket.destroySoon();
          else handle(request, response);
        });
      }
    });
  }

  /**
   * Closes connections that nobody has used for as long as they are kept. A client that is slow to take its answer is
   * left to Node's timer, which knows whether it takes any of it.
   */
  #look(server: Server): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const { request, askedAt, isTimed } = connection;
      if (!request || isTimed || now - askedAt < Connections.lookEveryMs) continue;
      if (isBusy(connection)) {
        connection.isTimed = true;
        Socket.prototype.setTimeout.call(socket, Connections.stuckMs);
      } else if (now - askedAt >= server.keepAliveTimeout) {
        socket.destroy();
      }
    }
  }

  /**
   * Whoever has connected and was not accepted yet is reset when the server closes, with what he has sent. So it
   * serves as ever until nobody has come for a while, since a balancer may be slow to turn elsewhere; and
   * then, one connection being accepted in a turn, until there was a turn without any.
   */
  async #whenNobodyComes(): Promise<void> {
    const startedAt = performance.now();
    const isQuiet = (now: number) => now - this.#lastComeAt >= NOBODY_MS;
    while (!isQuiet(performance.now()) && performance.now() - startedAt < COMING_MAX_MS) {
      await pause(CHECK_MS);
    }
    for (let turns = 0, come = -1; come !== this.#lastComeAt && turns < TURNS_MAX; turns++) {
      come = this.#lastComeAt;
      await turn();
    }
  }

  /** Whether it is too late to begin with what was sent ahead: its answer might be cut off. */
  #isTooLate(): boolean {
    const since = this.#leavingSince;
    return since !== undefined && performance.now() - since > WAITING_MS;
  }

  /** False for a request behind an answer that says it is the last: nobody would be told of its effect. */
  #isTaken(connection: Connection, request: IncomingMessage, response: ServerResponse): boolean {
    const now = performance.now();
    if (this.#leavingSince !== undefined) {
      const isLate = now - this.#leavingSince > FOLLOWED_MS;
      if (connection.response && !canFollow(connection.response, isLate)) return false;
      leaveAfter(response, request.socket);
    }
    const pauseMs = now - connection.askedAt;
    if (pauseMs > connection.longestPauseMs) connection.longestPauseMs = pauseMs;
    connection.askedAt = now;
    connection.request = request;
    connection.response = response;
    return true;
  }

  /** The answer to a request that came in whole and is not answered yet. */
  findDue(socket: Socket): ServerResponse | undefined {
    const { request, response } = this.#open.get(socket) ?? {};
    return request?.complete && !response?.writableFinished ? response : undefined;
  }

  /** Whether an answer has begun on this connection before its request had come in whole. */
  isAnswering(socket: Socket): boolean {
    const { request, response } = this.#open.get(socket) ?? {};
    return request?.complete === false && response?.headersSent === true;
  }

  /** Connections on which a request was begun whose body is still to come. */
  unfinished(): Socket[] {
    return [...this.#open].filter(([, connection]) => isUnfinished(connection)).map(([s]) => s);
  }

  /**
   * Lets go of all connections without losing a request. Every answer is the last on its connection and says
   * so. A connection without a request in work is closed once it has been quiet for longer than its client is
   * wont to be: a request may be on its way, and Node, which would close it at once, must not see to it. A
   * request whose body does not come is turned down in time to be told so.
   */
  #letGo(server: Server, refuseUnfinished: () => void): void {
    const startedAt = performance.now();
    this.#leavingSince = startedAt;
    for (const [socket, connection] of this.#open) {
      const { response } = connection;
      if (response && !response.headersSent) leaveAfter(response, socket);
      if (connection.readOn) readOn(socket, connection);
    }
    server.closeIdleConnections = () => undefined;
    // After the sockets were read: a request may have come while this process had no time to look.
    const look = () => setImmediate(() => this.#closeQuiet(startedAt));
    const closing = setInterval(look, CHECK_MS);
    const refusing = setTimeout(refuseUnfinished, UNFINISHED_MS);
    server.once('close', () => {
      clearInterval(closing);
      clearTimeout(refusing);
    });
  }

  #closeQuiet(startedAt: number): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const { askedAt, longestPauseMs, bytesRead, request } = connection;
      if (isBusy(connection)) continue;
      if (socket.bytesRead !== bytesRead) {
        connection.bytesRead = socket.bytesRead;
        connection.askedAt = now;
        continue;
      }
      // Whoever has not asked yet has connected in order to.
      const wontMs = request ? Math.max(QUIET_MIN_MS, longestPauseMs * 3) : QUIET_MAX_MS;
      const quietMs = Math.min(QUIET_MAX_MS, wontMs);
      if (now - Math.max(startedAt, askedAt) >= quietMs) socket.destroy();
    }
  }
}

function waitFor(
  before: ServerResponse,
  connection: Connection,
  socket: Socket,
  handle: () => void,
): void {
  connection.waiting += 1;
  if (connection.waiting > WAITING_MAX) socket.pause();
  before.once('close', () => {
    connection.waiting -= 1;
    // Behind an answer that closes the connection nothing can be answered, so nothing is done.
    if (!socket.writable) return;
    if (connection.waiting === 0 && !connection.readOn) socket.resume();
    handle();
  });
}

function readOn(socket: Socket, connection: Connection): void {
  clearTimeout(connection.readOn);
  delete connection.readOn;
  if (connection.waiting <= WAITING_MAX) socket.resume();
}

/**
 * Makes an answer the last on its connection. A client that has sent ahead would lose it if the connection were
 * closed on what it has sent, so our side is closed first and the whole a moment later.
 */
function leaveAfter(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false;
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS);
  };
}

/**
 * Whether another request may come behind this answer, which then is not the last on its connection. A client
 * that never stops sending ahead is let go as well, only a little later.
 */
function canFollow(response: ServerResponse, isLate: boolean): boolean {
  if (response.headersSent) return response.shouldKeepAlive;
  if (isLate) return false;
  response.shouldKeepAlive = true;
  return true;
}

function isBusy({ response }: Connection): boolean {
  return response !== undefined && !response.writableFinished;
}

function isUnfinished({ request, response }: Connection): boolean {
  return request?.complete === false && response?.headersSent === false;
}
