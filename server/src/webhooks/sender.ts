// One request to a receiver. Receivers are not trusted: the time, the size of the response and the address are
// bounded, redirects are responses like any other, and nothing is decompressed.

import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { DeliveryOutcome } from '../domain/delivery.ts';
import { HOUR_MS, SECOND_MS } from '../domain/durations.ts';
import { Agent, request as requestHttp } from '../lib/node-http.ts';
import { type Target, TargetRefused, type Targets } from './target.ts';

interface Outgoing {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  agents: Agents;
}

export interface SendResult {
  outcome: DeliveryOutcome;
  durationMs: number;
  /** Only when the head of a response has arrived. */
  status?: number;
  /** As text, as far as it was read. */
  responseBody?: string;
  /** How long the receiver asks to be left alone. */
  retryAfterMs?: number;
}

export interface SendLimits {
  totalMs: number;
  connectMs: number;
  responseBytesMax: number;
}

export const SEND_LIMITS: SendLimits = {
  totalMs: 15_000,
  connectMs: 5_000,
  responseBytesMax: 64 * 1024,
};
const HEAD_BYTES_MAX = 16 * 1024;
const NEXT_ADDRESS_MS = 1_500;
const KEEP_ALIVE_MS = 20_000;

/** The HTTP agents of one webhook. They keep one socket open between requests. */
export interface Agents {
  http: HttpAgent;
  https: HttpsAgent;
  readonly isClosed: boolean;
  /** Cuts off the request under way, too. */
  close(): void;
}

export function openAgents(): Agents {
  const options = {
    keepAlive: true,
    maxSockets: 1,
    maxFreeSockets: 1,
    timeout: KEEP_ALIVE_MS,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  };
  const [http, https] = [new Agent(options), new HttpsAgent(options)];
  let isClosed = false;
  return {
    http,
    https,
    get isClosed() {
      return isClosed;
    },
    close: () => {
      isClosed = true;
      http.destroy();
      https.destroy();
    },
  };
}

export class Sender {
  readonly #targets: Targets;
  readonly #limits: SendLimits;
  readonly #now: () => number;

  constructor(targets: Targets, options: { limits?: SendLimits; now?: () => number } = {}) {
    this.#targets = targets;
    this.#limits = options.limits ?? SEND_LIMITS;
    this.#now = options.now ?? Date.now;
  }

  /** Never rejects: whatever happens is an outcome. */
  async send(outgoing: Outgoing): Promise<SendResult> {
    const startedAt = performance.now();
    const deadline = startedAt + this.#limits.totalMs;
    const result = await this.#send(outgoing, deadline).catch((err: unknown) => {
      return { outcome: outcomeOf(err) };
    });
    return { ...result, durationMs: Math.round(performance.now() - startedAt) };
  }

  async #send(outgoing: Outgoing, deadline: number): Promise<Omit<SendResult, 'durationMs'>> {
    const target = this.#targets.parse(outgoing.url);
    const begin = () => new Exchange(this.#targets, target, this.#limits, deadline);
    let exchange = begin();
    const { response, responseBody } = await exchange.run(outgoing).catch((err: unknown) => {
      // The receiver closed a connection that was kept open, maybe before it read anything: use a new one. A connection
      // that was cut off on this side looks the same.
      if (!exchange.isStale || outgoing.agents.isClosed) throw err;
      exchange = begin();
      return exchange.run(outgoing);
    });
    const status = response.statusCode!;
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], this.#now());
    return {
      outcome: status >= 200 && status < 300 ? 'delivered' : 'status',
      status,
      responseBody,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
  }
}

interface Received {
  response: IncomingMessage;
  responseBody: string;
}

class SendFailure extends Error {
  readonly outcome: DeliveryOutcome;
  constructor(outcome: DeliveryOutcome, cause?: unknown) {
    super(outcome, { cause });
    this.outcome = outcome;
  }
}

/** A request and its response, with one deadline for both. */
class Exchange {
  readonly #targets: Targets;
  readonly #target: Target;
  readonly #limits: SendLimits;
  readonly #deadline: NodeJS.Timeout;
  /** Whether it failed on a connection that had served a request before. */
  isStale = false;
  /** Ends the exchange, whatever it is waiting for. */
  #abort: (failure: SendFailure) => void = () => undefined;

  constructor(targets: Targets, target: Target, limits: SendLimits, deadline: number) {
    this.#targets = targets;
    this.#target = target;
    this.#limits = limits;
    const leftMs = Math.max(0, deadline - performance.now());
    this.#deadline = setTimeout(() => this.#abort(new SendFailure('timeout')), leftMs);
  }

  /** Resolves once the head of a response has arrived and its body was read, as far as it is read at all. */
  run({ headers, body, agents }: Outgoing): Promise<Received> {
    const { url } = this.#target;
    const isSecure = url.protocol === 'https:';
    const request = (isSecure ? requestHttps : requestHttp)(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-length': Buffer.byteLength(body),
        'accept-encoding': 'identity',
      },
      agent: isSecure ? agents.https : agents.http,
      lookup: this.#targets.lookupOf(this.#target),
      maxHeaderSize: HEAD_BYTES_MAX,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
    });
    return new Promise((resolve, reject) => {
      let phase: DeliveryOutcome = 'connection';
      const fail = (failure: SendFailure) => {
        clearTimeout(this.#deadline);
        clearTimeout(connecting);
        reject(failure);
        request.destroy();
      };
      this.#abort = fail;
      const connecting = setTimeout(() => fail(new SendFailure('timeout')), this.#limits.connectMs);
      // Reading begins in this very call: what follows the head may be an error already.
      request.once('response', (response) => resolve(this.#readBody(response)));
      request.on('error', (err) => {
        this.isStale = request.reusedSocket && isReset(err);
        this.#abort(new SendFailure(outcomeOf(err, phase), err));
      });
      request.once('socket', (socket) => {
        if (!socket.connecting) return clearTimeout(connecting);
        socket.once('connect', () => {
          if (!this.#isPermitted(socket)) return fail(new SendFailure('address_refused'));
          if (!isSecure) return clearTimeout(connecting);
          phase = 'tls';
        });
        socket.once('secureConnect', () => {
          phase = 'connection';
          clearTimeout(connecting);
        });
      });
      // A 101, to which Node gives no `response`. It was not asked for, and nothing can follow it on this connection.
      request.once('upgrade', (response, socket) => {
        clearTimeout(this.#deadline);
        socket.destroy();
        resolve({ response, responseBody: '' });
      });
      request.end(body);
    });
  }

  /** Reads the body up to its limit. By now the status has decided the outcome. */
  #readBody(response: IncomingMessage): Promise<Received> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = (isWhole: boolean) => {
        clearTimeout(this.#deadline);
        if (!isWhole) response.destroy();
        const bytes = Buffer.concat(chunks).subarray(0, this.#limits.responseBytesMax);
        resolve({ response, responseBody: bytes.toString('utf8') });
      };
      this.#abort = () => finish(false);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > this.#limits.responseBytesMax) finish(false);
      });
      response.once('end', () => finish(true));
      response.once('error', () => finish(false));
      response.once('close', () => finish(false));
    });
  }

  #isPermitted({ remoteAddress }: Socket): boolean {
    return remoteAddress !== undefined && this.#targets.isPermitted(this.#target, remoteAddress);
  }
}

function outcomeOf(err: unknown, otherwise: DeliveryOutcome = 'connection'): DeliveryOutcome {
  if (err instanceof SendFailure) return err.outcome;
  return err instanceof TargetRefused ? 'address_refused' : otherwise;
}

function isReset(err: unknown): boolean {
  const code = err instanceof Error && 'code' in err ? err.code : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

const RETRY_AFTER_MIN_MS = SECOND_MS;
const RETRY_AFTER_MAX_MS = HOUR_MS;

/** Milliseconds of a Retry-After in seconds or as a date, kept between a second and an hour. */
function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = /^\d+$/.test(text.trim()) ? Number(text) * SECOND_MS : dateOf(text) - now;
  if (Number.isNaN(milliseconds)) return undefined;
  return Math.min(Math.max(milliseconds, RETRY_AFTER_MIN_MS), RETRY_AFTER_MAX_MS);
}

/** `Date.parse` takes much more than the dates of HTTP, numbers such as -1 among it. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim())
    ? Date.parse(text)
    : Number.NaN;
}
