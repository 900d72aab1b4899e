import { Call, type WithResponse } from './call.ts';
import {
  AuthenticationError,
  ConnectionError,
  errorOf,
  jsonObject,
  PetstoreError,
  retryAfterMs,
  TimeoutError,
} from './errors.ts';
import { Gate } from './gate.ts';
import { ListCall } from './page.ts';
import { type RateLimit, rateLimitOf } from './rate-limit.ts';
import { pause, retryDelayMs } from './retry.ts';

export interface PetstoreOptions {
  /** The key, or a function that returns it. Default: `PETSTORE_API_KEY`. A page of the console has a session instead. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Default: `PETSTORE_BASE_URL`, else `http://127.0.0.1:8080/v1`. In a page it may be a path, like `/v1`. */
  baseUrl?: string | undefined;
  fetch?: typeof fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
  maxRetries?: number;
  /** For each attempt. */
  timeoutMs?: number;
  /** The longest wait before a retry or for the next window of the plan. A retry waits at most 23 days. */
  maxWaitMs?: number;
  /** The most requests in flight at once. */
  maxConcurrent?: number;
  /**
   * Notified before a wait, for a retry or for the next window of the plan. Only a stream of events
   * gives the error: it notifies once per outage, and again when the wait grows.
   */
  onWait?: ((ms: number, error?: unknown) => void) | undefined;
  /** Notified of every attempt, without the key. */
  onRequest?: (event: RequestEvent) => void;
  /** Replaces the warning about a deprecated operation. */
  onDeprecated?: (event: DeprecationEvent) => void;
}

/** One attempt, after it has ended. */
export interface RequestEvent {
  method: string;
  /** With its query, below the base URL. */
  path: string;
  /** 0 for the first. */
  attempt: number;
  durationMs: number;
  /** Absent when no response arrived. */
  status?: number;
  requestId?: string | undefined;
  error?: unknown;
}

export interface DeprecationEvent {
  /** The method and the path, such as `GET /pets/{petId}`. */
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

export interface DryRunOptions extends WriteOptions {
  /** Checks and decides the request as usual, and keeps nothing. */
  dryRun?: boolean;
}

/** What a dry run of a creation returns. */
export type Preview<T> = Omit<T, 'id'>;

export type AnyOptions = RequestOptions & DryRunOptions;
export type Query = object;

/** What a method of the client sends. */
export interface Request {
  method: string;
  /** With the names of its parameters in braces. */
  path: string;
  params?: readonly (string | number)[];
  query?: Query | undefined;
  body?: unknown;
  options?: AnyOptions | undefined;
  /** Costs nothing of the plan's windows. */
  isFree?: boolean;
}

export const DEFAULT_URL = 'http://127.0.0.1:8080/v1';
const warned = new Set<string>();

/** Sends requests: one gate, one key, one base URL. */
export class Transport {
  readonly #options: PetstoreOptions;
  readonly #baseUrl: string;
  readonly #gate: Gate;
  readonly onWait: PetstoreOptions['onWait'];
  /** The limits as the last response showed them. */
  rateLimit: RateLimit | undefined;

  constructor(options: PetstoreOptions = {}) {
    const { maxConcurrent = 10, maxWaitMs = 60_000, onWait } = options;
    this.#options = options;
    this.onWait = onWait;
    const baseUrl = options.baseUrl ?? variable('PETSTORE_BASE_URL') ?? DEFAULT_URL;
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#gate = new Gate({ maxConcurrent, maxWaitMs, onWait });
  }

  call<T>(request: Request): Call<T> {
    const { query, options } = request;
    return new Call(this.#send<T>(request, searchOf({ ...query, dryRun: options?.dryRun })));
  }

  list<T>(request: Request): ListCall<T> {
    return new ListCall((search) => this.#send<T[]>(request, search), searchOf(request.query));
  }

  /** Opens a response whose body is read as it arrives. */
  async open(request: Request, signal: AbortSignal): Promise<Response> {
    const path = pathOf(request) + searchOf(request.query);
    return this.#fetch(path, { ...(await this.#initOf(request)), signal });
  }

  async #send<T>(request: Request, search: string): Promise<WithResponse<T>> {
    const { maxRetries = 2, maxWaitMs = 60_000 } = this.#options;
    const { method, options = {} } = request;
    const idempotencyKey = options.idempotencyKey ?? (method === 'GET' ? undefined : newId());
    const repeatable = { ...request, options: { ...options, idempotencyKey } };
    const policy = { maxRetries: options.maxRetries ?? maxRetries, maxWaitMs };
    const path = pathOf(request) + search;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt<T>(repeatable as Request, path, attempt);
      } catch (err) {
        const delayMs = retryDelayMs(err, attempt, policy);
        if (delayMs === undefined) throw err;
        this.onWait?.(delayMs);
        await pause(delayMs, options.signal);
      }
    }
  }

  async #attempt<T>(request: Request, path: string, attempt: number): Promise<WithResponse<T>> {
    const { method, options, isFree } = request;
    await this.#gate.enter(isFree !== true, options?.signal);
    const startedAt = performance.now();
    const event: RequestEvent = { method, path, attempt, durationMs: 0 };
    try {
      return await this.#exchange<T>(request, path, event);
    } catch (err) {
      event.error = err;
      throw err;
    } finally {
      this.#gate.leave();
      event.durationMs = Math.round(performance.now() - startedAt);
      this.#options.onRequest?.(event);
    }
  }

  async #exchange<T>(request: Request, path: string, event: RequestEvent) {
    const { signal, timeoutMs = this.#options.timeoutMs ?? 30_000 } = request.options ?? {};
    const init = await this.#initOf(request);
    const timeout = AbortSignal.timeout(timeoutMs);
    const sentAt = Date.now();
    try {
      const combined = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const response = await this.#fetch(path, { ...init, signal: combined });
      event.status = response.status;
      event.requestId = response.headers.get('x-request-id') ?? undefined;
      const text = await response.text();
      this.#learn(request, response, sentAt);
      if (!response.ok && response.status !== 304) throw errorOf(response, text);
      return withResponse<T>(response, text, this.rateLimit);
    } catch (err) {
      if (signal?.aborted) throw signal.reason;
      if (err instanceof PetstoreError) throw err;
      // In a page the URL may be a path.
      const origin = /^\w+:\/\/[^/]*/.exec(this.#baseUrl)?.[0] ?? 'The service';
      const [ErrorClass, code, what] = timeout.aborted
        ? [TimeoutError, 'timeout', `did not answer within ${timeoutMs} ms`]
        : [ConnectionError, 'connection_failed', 'could not be reached'];
      throw new ErrorClass({ code, message: `${origin} ${what}.`, status: 0, cause: err });
    }
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    return (this.#options.fetch ?? fetch)(this.#baseUrl + path, init);
  }

  /** What is wrong with the key or the body is thrown as it is: sending it again would not help. */
  async #initOf({ method, body, options = {} }: Request): Promise<RequestInit> {
    const { apiKey = variable('PETSTORE_API_KEY'), headers } = this.#options;
    const { idempotencyKey, ifMatch, ifNoneMatch } = options;
    const key = (typeof apiKey === 'function' ? await apiKey() : apiKey)?.trim();
    // The error of fetch would show the key.
    if (key && /[^!-~]/.test(key)) {
      const message = 'The API key holds a character that no key has.';
      throw new AuthenticationError({ code: 'invalid_api_key', message, status: 401 });
    }
    return {
      method,
      redirect: 'error',
      headers: {
        ...headers,
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        // An empty one is sent as well, and the service refuses it: without it, this would be another request.
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
        ...options.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  }

  #learn({ method, path, isFree }: Request, { status, headers }: Response, sentAt: number): void {
    const rateLimit = rateLimitOf(headers, sentAt);
    // The cap of a free operation has a minute alone, and says nothing about the plan.
    const isOwnCap = isFree && status === 429 && rateLimit?.windows.day === undefined;
    if (rateLimit && !isOwnCap) {
      this.rateLimit = rateLimit;
      this.#gate.learn(rateLimit);
    }
    if (status === 429 && !isFree) this.#gate.block(retryAfterMs(headers) ?? 1000);
    if (headers.has('deprecation')) this.#warn(`${method} ${path}`, headers);
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
    else console.warn(`petstore: ${operation} is deprecated, sunset ${sunset}: use ${successor}`);
  }
}

function withResponse<T>(
  response: Response,
  text: string,
  rateLimit: RateLimit | undefined,
): WithResponse<T> {
  const { headers, status } = response;
  const data = status === 204 || status === 304 ? undefined : jsonObject(text);
  if (data === null) throw errorOf(response, text);
  return {
    data: data as T,
    response,
    requestId: headers.get('x-request-id') ?? undefined,
    etag: headers.get('etag') ?? undefined,
    rateLimit,
    isReplay: headers.get('idempotency-replayed') === 'true',
  };
}

function pathOf({ path, params = [] }: Request): string {
  let at = 0;
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(params[at++]!));
}

/** Lists are repeated parameters; instants may be dates. */
export function searchOf(query: Query | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === undefined) continue;
      search.append(name, item instanceof Date ? item.toISOString() : `${item}`);
    }
  }
  return search.size > 0 ? `?${search}` : '';
}

/** 128 random bits. Pages without HTTPS lack `randomUUID`. */
function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Undefined also when it is empty. */
function variable(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined;
}
