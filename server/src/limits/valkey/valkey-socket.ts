import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Coalescer } from '../../lib/coalescer.ts';
import { encodeCommand, NOT_RESP, type Reply, ReplyError, ReplyParser } from './resp.ts';

interface ValkeySocketOptions {
  /** `redis://user:password@host:port/database`, or `rediss://…` for TLS. */
  url: string;
  coalescer: Coalescer;
  /** Called once, when the connection ends or cannot be made. */
  onClose: (err: Error) => void;
}

interface Pending {
  resolve: (reply: Reply) => void;
  reject: (err: Error) => void;
}

const PORT = 6379;
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * One connection to Valkey or Redis. A command is sent at most once: when the connection ends, the
 * commands under way are rejected, since the store may have run them.
 */
export class ValkeySocket {
  readonly #socket: Socket;
  readonly #onClose: (err: Error) => void;
  readonly #write: (command: string) => void;
  #pending: Pending[] = [];
  #isClosed = false;

  constructor({ url, coalescer, onClose }: ValkeySocketOptions) {
    const target = new URL(url);
    const parser = new ReplyParser();
    this.#onClose = onClose;
    this.#write = coalescer.batch((commands) => this.#socket.write(commands.join('')));
    this.#socket = openSocket(target)
      .setNoDelay()
      .setKeepAlive(true, KEEP_ALIVE_AFTER_MS)
      .setEncoding('latin1')
      .on('error', (err) => this.close(err))
      .on('close', () => this.close(new Error('Valkey closed the connection')))
      .on('data', (bytes: string) => {
        try {
          for (const reply of parser.parse(bytes)) this.#settle(reply);
        } catch (err) {
          this.close(err as Error);
        }
      });
    this.#greet(target);
  }

  send(words: readonly string[]): Promise<Reply> {
    if (this.#isClosed) return Promise.reject(new Error('no connection to Valkey'));
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      this.#write(encodeCommand(words));
    });
  }

  /** Ends the connection and rejects the commands under way. */
  close(err: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    const pending = this.#pending;
    this.#pending = [];
    this.#onClose(err);
    for (const { reject } of pending) reject(err);
  }

  #greet({ username, password, pathname }: URL): void {
    const closeIfRefused = (err: Error) => this.close(err);
    if (username || password) {
      const credentials = username ? [username, password] : [password];
      this.send(['AUTH', ...credentials.map(decodeURIComponent)]).catch(closeIfRefused);
    }
    const database = pathname.slice(1);
    if (database) this.send(['SELECT', database]).catch(closeIfRefused);
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.shift();
    if (!pending) throw reply instanceof ReplyError ? reply : new Error(NOT_RESP);
    if (reply instanceof ReplyError) pending.reject(reply);
    else pending.resolve(reply);
  }
}

function openSocket({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  const peer = { host, port: Number(port) || PORT };
  if (protocol !== 'rediss:') return connect(peer);
  return connectTls(isIP(host) ? peer : { ...peer, servername: host });
}
