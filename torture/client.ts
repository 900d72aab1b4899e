// One keep-alive connection. It knows of each request whether it was answered, never sent, or cut off.

import { connect, type Socket } from 'node:net';
import { settled } from './settled.ts';

export interface Request {
  method: string;
  path: string;
  body?: unknown;
  /** The Idempotency-Key. */
  key?: string;
}

export type Reply =
  | { kind: 'answer'; status: number; headers: Map<string, string>; text: string; body: unknown }
  /** No connection could be made: the request was never sent. */
  | { kind: 'refused' }
  /** The request was sent, in part or whole, and no whole answer came. */
  | { kind: 'cut'; reason: string };

export type Answer = Extract<Reply, { kind: 'answer' }>;

/** A request that has no answer by then never gets one, even on a slow machine. */
const GIVE_UP_MS = 120_000;

export class Client {
  readonly #port: () => number;
  readonly #apiKey: string;
  #socket: Socket | undefined;

  constructor(port: number | (() => number), apiKey: string) {
    this.#port = typeof port === 'number' ? () => port : port;
    this.#apiKey = apiKey;
  }

  /** Sends one request at a time, over the open connection or over a new one. */
  async send(request: Request): Promise<Reply> {
    const socket = await this.#connected();
    if (!socket) return { kind: 'refused' };
    const reply = await exchange(socket, bytesOf(request, this.#apiKey));
    const isOver = reply.kind !== 'answer' || reply.headers.get('connection') === 'close';
    if (isOver) this.close();
    return reply;
  }

  /** Sends a request again while an overloaded service answers 503. A write must have a key. */
  settle(request: Request): Promise<Reply> {
    return settled(() => this.send(request), isOverloaded);
  }

  /** Throws unless the answer is 200. */
  async get(path: string): Promise<Answer> {
    const reply = await this.settle({ method: 'GET', path });
    if (reply.kind === 'answer' && reply.status === 200) return reply;
    throw new Error(`GET ${path}: ${reply.kind === 'answer' ? reply.text : JSON.stringify(reply)}`);
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #connected(): Promise<Socket | undefined> {
    const known = this.#socket;
    // Like any client, it does not reuse a connection that the service has ended.
    if (known && !known.destroyed && !known.readableEnded) return known;
    const socket = connect({ port: this.#port(), host: '127.0.0.1', noDelay: true });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.on('error', () => undefined);
    this.#socket = isOpen ? socket : undefined;
    return this.#socket;
  }
}

function isOverloaded(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 503;
}

function bytesOf({ method, path, body, key }: Request, apiKey: string): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${apiKey}`,
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json']),
    `Content-Length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n');
}

function exchange(socket: Socket, bytes: string): Promise<Reply> {
  return new Promise((resolve) => {
    let received = '';
    const finish = (reply: Reply) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).off('end', onClose).off('error', onError);
      resolve(reply);
    };
    const cut = (reason: string) => finish({ kind: 'cut', reason: `${reason} after ${received}` });
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const answer = wholeAnswer(received);
      if (answer) finish(answer);
    };
    const onClose = () => cut('closed');
    const onError = (err: Error) => cut(err.message);
    const timer = setTimeout(() => cut('no answer in time'), GIVE_UP_MS);
    socket.on('data', onData).on('close', onClose).on('end', onClose).on('error', onError);
    socket.write(bytes);
  });
}

function wholeAnswer(received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as const;
    }),
  );
  const bodyStart = headEnd + 4;
  const length = Number(headers.get('content-length') ?? 0);
  if (received.length < bodyStart + length) return undefined;
  const text = Buffer.from(received.slice(bodyStart, bodyStart + length), 'latin1').toString();
  const body = text === '' ? undefined : JSON.parse(text);
  return { kind: 'answer', status: Number(statusLine.split(' ')[1]), headers, text, body };
}
