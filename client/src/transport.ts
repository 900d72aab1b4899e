import { Call, type WithResponse } from './call.ts';
import {
  ConnectionError,
  errorOf,
  type PetstoreError,
  retryAfterMs,
  TimeoutError,
} from './errors.ts';
import { Gate } from './gate.ts';
import { ListCall } from './page.ts';
import { type RateLimit, rateLimitOf } from './rate-limit.ts';
import { pause, retryDelayMs } from './retry.ts';

export interface PetstoreOptions {
  /** The key, or a function that returns it. Default: the environment variable `PETSTORE_API_KEY`. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Default: `PETSTORE_BASE_URL`, else `http://127.0.0.1:8080/v1`. */
  baseUrl?: string | undefined;
  fetch?: typeof fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
  maxRetries?: number;
  /** For each attempt. */
  timeoutMs?: number;
  /** The longest wait before a retry or for the next window of the plan. */
  maxWaitMs?: number;
  /** The most requests in flight at once. */
  maxConcurrent?: number;
  /** Notified of every attempt, without the key. */
  onRequest?: (event: RequestEvent) => void;
  /** Replaces the warning about a deprecated operation. */
  onDeprecated?: (event: DeprecationEvent) => void;
}

export interface RequestEvent {
  operation: string;
  method: string;
  url: string;
  attempt: number;
  requestId: string;
}

export interface DeprecationEvent {
  operation: string;
  sunset: string | undefined;
  successor: string | undefined;
}

export interface RequestOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
  headers?: Record<string, string>;
  /** Returns 304 without data when the record still has this ETag. */
  ifNoneMatch?: string;
}

export interface WriteOptions extends Omit<RequestOptions, 'ifNoneMatch'> {
  /** Default: a new one for each call, the same for all its attempts. */
  idempotencyKey?: string;
  /** Refuses the change when the record has another ETag. */
  ifMatch?: string;
}

export type AnyOptions = RequestOptions & WriteOptions;
export type Query = object;

/** What a method of the client sends. */
export interface Request {
  operation: string;
  method: string;
  path: string;
  query?: Query | undefined;
  body?: unknown;
  options?: AnyOptions | undefined;
  /** Costs nothing of the plan's windows. */
  isFree?: boolean;
}

const DEFAULT_URL = 'http://127.0.0.1:8080/v1';
const warned = new Set<string>();

/** Sends requests: one gate, one key, one base URL. */
export class Transport {
  readonly #options: PetstoreOptions;
  readonly #baseUrl: string;
  readonly #gate: Gate;
  /** The limits as the last response showed them. */
  rateLimit: RateLimit | undefined;

  constructor(options: PetstoreOptions = {}) {
    const { maxConcurrent = 10, maxWaitMs = 60_000 } = options;
    this.#options = options;
    this.#baseUrl = (options.baseUrl ?? variable('PETSTORE_BASE_URL') ?? DEFAULT_URL).replace(
      /\/+$/,
      '',
    );
    this.#gate = new Gate({ maxConcurrent, maxWaitMs });
  }

  call<T>(request: Request): Call<T> {
    return new Call(this.#send<T>(request, searchOf(request.query)));
  }

  list<T>(request: Request): ListCall<T> {
    return new ListCall((search) => this.#send<T[]>(request, search), searchOf(request.query));
  }

  /** Opens a response whose body is read as it arrives. */
  async open(request: Request, signal: AbortSignal): Promise<Response> {
    const requestId = crypto.randomUUID();
    const response = await this.#fetch(request, searchOf(request.query), requestId, signal);
    if (!response.ok) throw errorOf(response, await response.text(), requestId);
    return response;
  }

  async #send<T>(request: Request, search: string): Promise<WithResponse<T>> {
    const { maxRetries = 2, maxWaitMs = 60_000 } = this.#options;
    const { options = {} } = request;
    const isWrite = request.method !== 'GET';
    const idempotencyKey = options.idempotencyKey ?? (isWrite ? crypto.randomUUID() : undefined);
    const repeatable = { ...request, options: { ...options, ...(isWrite && { idempotencyKey }) } };
    const policy = { maxRetries: options.maxRetries ?? maxRetries, maxWaitMs };
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt<T>(repeatable as Request, search, attempt);
      } catch (err) {
        const delayMs = retryDelayMs(err as PetstoreError, attempt, policy);
        if (delayMs === undefined) throw err;
        await pause(delayMs, options.signal);
      }
    }
  }

  async #attempt<T>(request: Request, search: string, attempt: number): Promise<WithResponse<T>> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? 30_000 } = request.options ?? {};
    const requestId = crypto.randomUUID();
    await this.#gate.enter(request.isFree !== true, signal);
    const { operation, method, path } = request;
    const url = `${this.#baseUrl}${path}${search}`;
    this.#options.onRequest?.({ operation, method, url, attempt, requestId });
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const combined = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const response = await this.#fetch(request, search, requestId, combined);
      const text = await response.text();
      this.#learn(request, response);
      if (!response.ok && response.status !== 304) throw errorOf(response, text, requestId);
      return withResponse<T>(response, text, this.rateLimit, requestId);
    } catch (err) {
      if (signal?.aborted) throw signal.reason;
      if (err instanceof Error && 'requestId' in err) throw err;
      throw connectionError(err, { isTimeout: timeout.aborted, timeoutMs, requestId, url });
    } finally {
      this.#gate.leave();
    }
  }

  async #fetch(
    { method, path, body, options = {} }: Request,
    search: string,
    requestId: string,
    signal: AbortSignal,
  ): Promise<Response> {
    const { apiKey = variable('PETSTORE_API_KEY'), headers } = this.#options;
    const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
    const send = this.#options.fetch ?? fetch;
    return send(`${this.#baseUrl}${path}${search}`, {
      method,
      redirect: 'error',
      signal,
      headers: {
        ...headers,
        ...(key && { authorization: `Bearer ${key}` }),
        'x-request-id': requestId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
        ...(options.ifMatch && { 'if-match': options.ifMatch }),
        ...(options.ifNoneMatch && { 'if-none-match': options.ifNoneMatch }),
        ...options.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  #learn({ operation, isFree }: Request, { status, headers }: Response): void {
    const rateLimit = rateLimitOf(headers);
    if (rateLimit) this.rateLimit = rateLimit;
    this.#gate.learn(rateLimit);
    if (status === 429 && !isFree) this.#gate.block(retryAfterMs(headers) ?? 1000);
    if (headers.has('deprecation')) this.#warn(operation, headers);
  }

  /** Once per operation and process. */
  #warn(operation: string, headers: Headers): void {
    if (warned.has(operation)) return;
    warned.add(operation);
    const sunset = headers.get('sunset') ?? undefined;
    const link = headers.get('link') ?? '';
    const successor = /<([^>]*)>\s*;[^,]*\brel="successor-version"/.exec(link)?.[1];
    const { onDeprecated } = this.#options;
    if (onDeprecated) onDeprecated({ operation, sunset, successor });
    else console.warn(`petstore: ${operation} is deprecated until ${sunset}: use ${successor}`);
  }
}

function withResponse<T>(
  response: Response,
  text: string,
  rateLimit: RateLimit | undefined,
  requestId: string,
): WithResponse<T> {
  const { headers } = response;
  return {
    data: (text === '' ? undefined : JSON.parse(text)) as T,
    response,
    requestId: headers.get('x-request-id') ?? requestId,
    etag: headers.get('etag') ?? undefined,
    rateLimit,
    isReplay: headers.get('idempotency-replayed') === 'true',
  };
}

function connectionError(
  cause: unknown,
  facts: { isTimeout: boolean; timeoutMs: number; requestId: string; url: string },
): ConnectionError {
  const { isTimeout, timeoutMs, requestId, url } = facts;
  const { origin } = new URL(url);
  const base = { status: 0, requestId, cause };
  return isTimeout
    ? new TimeoutError({
        ...base,
        code: 'timeout',
        message: `${origin} did not answer within ${timeoutMs} ms.`,
      })
    : new ConnectionError({
        ...base,
        code: 'connection_failed',
        message: `${origin} could not be reached.`,
      });
}

/** Lists are repeated parameters; instants may be dates. */
export function searchOf(query: Query | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === undefined) continue;
      search.append(name, item instanceof Date ? item.toISOString() : String(item));
    }
  }
  return search.size > 0 ? `?${search}` : '';
}

function variable(name: string): string | undefined {
  return globalThis.process?.env?.[name];
}
