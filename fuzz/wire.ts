// A client that sends exactly the given bytes and checks every part of the answer's framing.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** When its request was sent, in epoch milliseconds. */
  sentAt: number;
  ms: number;
}

export class NoAnswer extends Error {}

/** A request that has no answer by then never gets one, even on a slow machine. */
const ANSWER_MS = 120_000;
/** How long to wait for a further answer after a complete one. */
const QUIET_MS = 12;
/** When to half-close the connection: an incomplete request gets its answer only then. */
const PATIENCE_MS = 40;
const CLOSING_MS = 60_000;

// Time in which this process did not run is not counted as latency of the service.
const TICK_MS = 20;
let lostMs = 0;
let tickedAt = performance.now();
setInterval(() => {
  const now = performance.now();
  lostMs += Math.max(0, now - tickedAt - TICK_MS);
  tickedAt = now;
}, TICK_MS).unref();

export class Wire {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends one request over the connection. Opens a new one if the service has closed it. */
  async ask(bytes: Buffer, isHead = false): Promise<Answer> {
    const sentAt = Date.now();
    const startedAt = performance.now() - lostMs;
    const socket = await this.#open();
    socket.write(bytes);
    for (;;) {
      const { answers, rest } = answersOf(this.#received, isHead);
      if (answers[0]) {
        this.#received = rest;
        if (answers[0].headers.connection === 'close') this.close();
        return { ...answers[0], sentAt, ms: performance.now() - lostMs - startedAt };
      }
      await this.#more(socket, ANSWER_MS);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#received = Buffer.alloc(0);
  }

  async #open(): Promise<Socket> {
    if (this.#socket && !this.#socket.destroyed) return this.#socket;
    this.#received = Buffer.alloc(0);
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    this.#socket = socket;
    await once(socket, 'connect');
    return socket;
  }

  /** Waits for more bytes. */
  #more(socket: Socket, milliseconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (fault?: string) => {
        clearTimeout(timer);
        socket.off('data', onData).off('close', onClose);
        if (fault === undefined) return resolve();
        this.close();
        reject(new NoAnswer(fault));
      };
      const onData = () => settle();
      const onClose = () => settle('the connection was closed without an answer');
      const timer = setTimeout(() => settle(`no answer within ${milliseconds} ms`), milliseconds);
      socket.once('data', onData).once('close', onClose);
    });
  }
}

/**
 * Sends bytes over a new connection and returns all answers that arrive before it is closed. The service may close it
 * without an answer, because the bytes may be an incomplete request. It must do one of both.
 */
export async function exchange(
  port: number,
  bytes: Buffer,
  { isHead, closingMs = CLOSING_MS }: { isHead: boolean; closingMs?: number },
): Promise<Answer[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => undefined);
  let received: Buffer = Buffer.alloc(0);
  const sentAt = Date.now();
  const startedAt = performance.now() - lostMs;
  let answeredAt = startedAt;
  const isClosed = await new Promise<boolean>((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = (milliseconds: number, then: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(then, milliseconds);
    };
    const giveUp = () => resolve(false);
    const halfClose = () => {
      socket.end();
      wait(closingMs, giveUp);
    };
    wait(PATIENCE_MS, halfClose);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      answeredAt = performance.now() - lostMs;
      try {
        const { answers, rest } = answersOf(received, isHead);
        if (rest.length > 0) wait(closingMs, giveUp);
        else if (answers.length > 0) wait(QUIET_MS, giveUp);
        // 100 Continue alone: the service waits for a body that does not come.
        else wait(PATIENCE_MS, halfClose);
      } catch (err) {
        clearTimeout(timer);
        reject(err);
      }
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(true);
    });
    socket.write(bytes);
  }).finally(() => socket.destroy());
  const { answers, rest } = answersOf(received, isHead);
  if (rest.length > 0) throw new NoAnswer(`an incomplete answer: ${rest.subarray(0, 300)}`);
  if (answers.length === 0 && !isClosed) {
    throw new NoAnswer(`neither an answer nor a closed connection within ${closingMs} ms`);
  }
  return answers.map((answer) => ({ ...answer, sentAt, ms: answeredAt - startedAt }));
}

function answersOf(bytes: Buffer, isHead: boolean): { answers: Answer[]; rest: Buffer } {
  const answers: Answer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return { answers, rest };
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    const headers = headersOf(lines);
    const isEmpty = isHead || status < 200 || status === 204 || status === 304;
    const length = isEmpty ? 0 : Number(headers['content-length'] ?? Number.NaN);
    if (Number.isNaN(status) || Number.isNaN(length)) {
      throw new NoAnswer(`an answer that is no HTTP/1.1: ${rest.subarray(0, 300)}`);
    }
    const next = end + 4 + length;
    if (rest.length < next) return { answers, rest };
    const text = rest.subarray(end + 4, next).toString();
    if (status >= 200) answers.push({ status, headers, text, sentAt: 0, ms: 0 });
    rest = rest.subarray(next);
  }
}

function headersOf(lines: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    // Two headers of one name are joined by a character that fails every check.
    headers[name] = name in headers ? `${headers[name]}\n` : line.slice(at + 1).trim();
  }
  return headers;
}
