// A connection to Valkey or Redis that comes back by itself. A command is sent once or not at all, since nobody knows
// whether one whose answer was lost has counted: it fails at once when there is no connection, or when
// that ends before the answer.

import { connect as connectPlainly, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { commandText, NOT_RESP, type Reply, ReplyError, ReplyReader } from './replies.ts';

export interface ValkeySocketOptions {
  /** `redis://user:password@host:port/number`, or `rediss://…` for TLS. */
  url: string;
  onReady: () => void;
  /** Called each time that a connection is lost or could not be made. */
  onLost: (err: Error) => void;
}

interface Asked {
  resolve: (reply: Reply) => void;
  reject: (err: Error) => void;
}

const PORT = 6379;
const CONNECT_MS = 1_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
const RECONNECT_MIN_MS = 20;
const RECONNECT_MAX_MS = 200;

export class ValkeySocket {
  isReady = false;
  readonly #options: ValkeySocketOptions;
  readonly #url: URL;
  #socket: Socket | undefined;
  #asked: Asked[] = [];
  /** What is sent at the end of this turn, in one piece. */
  #outgoing = '';
  #failures = 0;
  #reconnecting: NodeJS.Timeout | undefined;
  #isDestroyed = false;

  constructor(options: ValkeySocketOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    this.#connect();
  }

  send(words: readonly string[]): Promise<Reply> {
    if (!this.isReady) return Promise.reject(new Error('no connection to the limit store'));
    return this.#ask(words);
  }

  destroy(): void {
    this.#isDestroyed = true;
    clearTimeout(this.#reconnecting);
    this.#socket?.destroy();
  }

  #connect(): void {
    const isSecure = this.#url.protocol === 'rediss:';
    const socket = isSecure ? connectSecurely(this.#peer()) : connectPlainly(this.#peer());
    const giveUp = () => socket.destroy(new Error('the limit store did not take the connection'));
    const timer = setTimeout(giveUp, CONNECT_MS);
    const reader = new ReplyReader();
    let reason = new Error('the connection to the limit store was closed');
    this.#socket = socket
      .setNoDelay()
      .setKeepAlive(true, KEEP_ALIVE_AFTER_MS)
      .setEncoding('latin1');
    socket.on(isSecure ? 'secureConnect' : 'connect', () => {
      this.#greet()
        .then(() => this.#becomeReady())
        .catch((err: Error) => socket.destroy(err))
        .finally(() => clearTimeout(timer));
    });
    socket.on('data', (bytes: string) => {
      try {
        for (const reply of reader.read(bytes)) this.#answer(reply);
      } catch (err) {
        socket.destroy(err as Error);
      }
    });
    socket.on('error', (err) => {
      reason = err;
    });
    socket.on('close', () => {
      clearTimeout(timer);
      this.#lose(reason);
    });
  }

  #peer() {
    const host = this.#url.hostname.replace(/^\[|\]$/g, '');
    // A certificate is asked for by name; an address is none.
    const name = isIP(host) === 0 ? { servername: host } : {};
    return { host, port: Number(this.#url.port) || PORT, ...name };
  }

  async #greet(): Promise<void> {
    const [user, password] = [this.#url.username, this.#url.password].map(decodeURIComponent);
    const database = this.#url.pathname.slice(1);
    if (password) await this.#ask(['AUTH', ...(user ? [user] : []), password]);
    if (database) await this.#ask(['SELECT', database]);
    // A store that lets nobody in without a password says so here.
    await this.#ask(['PING']);
  }

  #becomeReady(): void {
    this.isReady = true;
    this.#failures = 0;
    this.#options.onReady();
  }

  #ask(words: readonly string[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      if (this.#outgoing === '') process.nextTick(this.#write);
      this.#outgoing += commandText(words);
    });
  }

  readonly #write = (): void => {
    const outgoing = this.#outgoing;
    this.#outgoing = '';
    if (outgoing !== '') this.#socket!.write(outgoing);
  };

  #answer(reply: Reply): void {
    const asked = this.#asked.shift();
    // What comes unasked is why the store does not want this connection.
    if (!asked) throw reply instanceof ReplyError ? reply : new Error(NOT_RESP);
    if (reply instanceof ReplyError) asked.reject(reply);
    else asked.resolve(reply);
  }

  #lose(err: Error): void {
    const asked = this.#asked;
    this.isReady = false;
    this.#asked = [];
    this.#outgoing = '';
    for (const { reject } of asked) reject(err);
    if (this.#isDestroyed) return;
    const waitMs = Math.min(RECONNECT_MIN_MS * 2 ** this.#failures, RECONNECT_MAX_MS);
    this.#failures += 1;
    this.#reconnecting = setTimeout(() => this.#connect(), waitMs);
    this.#options.onLost(err);
  }
}
