import { Call, type WithResponse } from './call.ts';
import {
  AuthenticationError,
  ConnectionError,
  errorOf,
  jsonObject,
  NotFoundError,
  PetstoreError,
  RateLimitError,
  reasonOf,
  retryAfterMs,
  TimeoutError,
} from './errors.ts';
import { Gate } from './gate.ts';
import type { PetstoreOptions, RequestEvent } from './options.ts';
import { ListCall, sendPage } from './page.ts';
import { type RateLimit, rateLimitOf } from './rate-limit.ts';
import {
  apiUrlOf,
  CLIENT_OPTIONS,
  checkOptions,
  entriesOf,
  jsonOf,
  newId,
  notify,
  pathOf,
  type Request,
  searchOf,
  variable,
} from './request.ts';

import { follow, pause, retryDelayMs, TIMER_MAX_MS, unlessAborted, WAIT_MAX_MS } from './retry.ts';

export type { AnyOptions, Request } from './request.ts';

/** One of the attempts to send a request. */
interface Attempt {
  /** Counts from 0. */
  attempt: number;
  /** Without a response for so long it is given up. */
  timeoutMs: number;
  /** Ends a stream, whose body is read as it arrives. */
  silence?: AbortController;
}

/** Until the first part of a file. */
const FILE_TIMEOUT_MS = 30_000;
export const DEFAULT_URL = 'http://127.0.0.1:8080/v1';
/** Operations that were warned of in this process. */
const warned = new Set<string>();

/** Sends requests: one gate, one key, one base URL. */
export class Transport {
  readonly #options: PetstoreOptions;
  readonly #baseUrl: string;
  readonly #gate: Gate;
  declare readonly onWait: PetstoreOptions['onWait'];
  /** The limits of the plan as the last response showed them. */
  declare rateLimit: RateLimit | undefined;

  constructor(options: PetstoreOptions = {}) {
    checkOptions(options, CLIENT_OPTIONS);
    const { maxConcurrent = 1 } = options;
    // With less, nothing would ever be sent.
    if (!Number.isInteger(maxConcurrent) || maxConcurrent < 1)
      throw new TypeError(`maxConcurrent must be a whole number from 1, not ${maxConcurrent}.`);
    this.#options = options;
    this.onWait = options.onWait;
    this.#baseUrl = apiUrlOf(options.baseUrl ?? variable('PETSTORE_BASE_URL') ?? DEFAULT_URL);
    this.#gate = new Gate(options);
  }

  call<T>(request: Request): Call<T> {
    const { query, options } = request;
    // The query may have it too.
    const search = searchOf([...entriesOf(query), ['dryRun', options?.dryRun]]);
    return new Call(this.#send<T>(request, search));
  }

  list<T>(request: Request): ListCall<T> {
    return new ListCall(
      sendPage((search) => this.#send<T[]>(request, search), searchOf(request.query)),
    );
  }

  /** The only record of a list. Without one it is the 404 of a read by path. */
  one<T>(request: Request, missing: string): Call<T> {
    const sent = this.#send<T[]>(request, searchOf(request.query)).then(({ data, ...rest }) => {
      const { requestId, response } = rest;
      const facts = { code: 'not_found', message: missing, status: 404, requestId, response };
      if (!data[0]) throw new NotFoundError(facts);
      // That of the list is no tag of the record.
      return { ...rest, data: data[0], etag: undefined };
    });
    return new Call(sent);
  }

  /** Opens a response whose body is read as it arrives. */
  async open(request: Request, attempt: Attempt): Promise<Response> {
    checkOptions(request.options);
    return (await this.#attempt(request, searchOf(request.query), attempt)).response;
  }

  /** Opens a file. Its body is read by the caller, as it arrives. */
  download(request: Request): Promise<Response> {
    const timeoutMs = request.options?.timeoutMs ?? this.#options.timeoutMs ?? FILE_TIMEOUT_MS;
    return this.open(request, { attempt: 0, timeoutMs, silence: new AbortController() });
  }

  async #send<T>(request: Request, search: string): Promise<WithResponse<T>> {
    const { maxRetries = 2, maxWaitMs = WAIT_MAX_MS } = this.#options;
    const { method, options = {} } = request;
    checkOptions(options);
    // A batch of more rows than one may have is refused, whatever is left.
    const cost = Math.min(10, Math.ceil(request.cost ?? 1));
    const idempotencyKey = options.idempotencyKey ?? (method === 'GET' ? undefined : newId());
    const repeatable = { ...request, options: { ...options, idempotencyKey } } as Request;
    const policy = {
      maxRetries: options.maxRetries ?? maxRetries,
      maxWaitMs: options.maxWaitMs ?? maxWaitMs,
    };
    const { timeoutMs = this.#options.timeoutMs ?? 30_000 } = options;
    const pass = { cost, maxWaitMs: policy.maxWaitMs, since: Infinity, isProbe: false };
    let refusal: unknown;
    let retries = 0;
    for (let attempt = 0; ; attempt++) {
      await this.#gate.enter(pass, options.signal).catch((err: unknown) => {
        throw (err instanceof RateLimitError && refusal) || err;
      });
      try {
        return await this.#attempt<T>(repeatable, search, { attempt, timeoutMs }).finally(() =>
          this.#gate.leave(pass),
        );
      } catch (err) {
        // The call waits on, unless that would take too long. Then the refusal is better than one of the client.
        refusal = pass.isProbe && err instanceof RateLimitError ? err : undefined;
        if (refusal) continue;
        pass.since = Infinity;
        const delayMs = retryDelayMs(err, retries++, policy);
        if (delayMs === undefined) throw err;
        this.onWait?.(delayMs);
        await pause(delayMs, options.signal);
      }
    }
  }

  /** Sends a request once. The callbacks are called after the outcome is known, so what they throw is not taken for it. */
  async #attempt<T>(
    request: Request,
    search: string,
    { attempt, timeoutMs, silence }: Attempt,
  ): Promise<WithResponse<T>> {
    const { method, options: { signal } = {} } = request;
    const event: RequestEvent = { method, path: pathOf(request) + search, attempt, durationMs: 0 };
    const init = await this.#initOf(request);
    const startedAt = performance.now();
    const sentAt = Date.now();
    const ending = silence ?? new AbortController();
    const release = follow(signal, ending);
    const timer = setTimeout(() => ending.abort(), Math.min(TIMER_MAX_MS, timeoutMs));
    const until = <R>(work: Promise<R>) => unlessAborted(ending.signal, work);
    let response: Response | undefined;
    try {
      const send = this.#options.fetch ?? fetch;
      const url = this.#baseUrl + event.path;
      response = await until(send(url, { ...init, signal: ending.signal }));
      const { ok, status, headers } = response;
      event.status = status;
      event.requestId = headers.get('x-request-id') ?? undefined;
      const text = silence && ok ? '{}' : await until(response.text());
      const isDelete = method === 'DELETE';
      const isEmpty =
        status === 304
          ? init.headers.has('if-none-match')
          : method === 'HEAD'
            ? ok
            : isDelete && status === 204;
      const data = isEmpty ? undefined : ok && !isDelete ? jsonObject(text) : null;
      const failed = data === null ? errorOf(response, text) : undefined;
      // A stream does not pass the gate, and teaches it nothing.
      const rateLimit = silence ? undefined : this.#learn(request, response, sentAt, failed);
      if (failed) throw failed;
      return {
        data: data as T,
        response,
        requestId: event.requestId,
        etag: headers.get('etag') ?? undefined,
        rateLimit,
        isReplay: headers.get('idempotency-replayed') === 'true',
      };
    } catch (err) {
      event.error = signal?.aborted
        ? signal.reason
        : err instanceof PetstoreError
          ? err
          : this.failure(err, ending.signal.aborted ? timeoutMs : undefined);
      throw event.error;
    } finally {
      clearTimeout(timer);
      release();
      event.durationMs = Math.round(performance.now() - startedAt);
      notify(this.#options.onRequest, event);
      if (response?.headers.has('deprecation'))
        this.#warn(`${method} ${request.path}`, response.headers);
    }
  }

  /** A connection that failed; given `timeoutMs`, because nothing arrived for so long. */
  failure(err: unknown, timeoutMs: number | undefined): ConnectionError {
    // In a page the URL may be a path.
    const origin = /^[^/]+(\/\/[^/]*)?/.exec(this.#baseUrl)?.[0] ?? 'The service';
    const isTimeout = timeoutMs !== undefined;
    const what = isTimeout
      ? `did not answer within ${timeoutMs} ms`
      : `could not be reached${reasonOf(err)}`;
    return new (isTimeout ? TimeoutError : ConnectionError)({
      code: isTimeout ? 'timeout' : 'connection_failed',
      message: `${origin} ${what}.`,
      status: 0,
      cause: err,
    });
  }

  /** What is wrong with the key or the body is thrown as it is: sending it again would not help. */
  async #initOf({ method, body, options = {} }: Request) {
    const { apiKey = variable('PETSTORE_API_KEY') } = this.#options;
    const given = typeof apiKey === 'function' ? await apiKey() : apiKey;
    // What the function returns was not checked yet.
    checkOptions({ apiKey: given }, { apiKey: 'string' });
    const key = given?.trim();
    // The error of fetch would show the key.
    if (key && /[^!-~]/.test(key)) {
      const message = 'The API key holds a character that no key has.';
      throw new AuthenticationError({ code: 'invalid_api_key', message, status: 401 });
    }
    const text = jsonOf(body);
    const headers = new Headers(this.#options.headers);
    const set = {
      authorization: key ? `Bearer ${key}` : undefined,
      'content-type': text && 'application/json',
      // An empty one is sent as well, and the service refuses it: without it, this would be another request.
      'idempotency-key': options.idempotencyKey,
      'if-match': options.ifMatch,
      'if-none-match': options.ifNoneMatch,
    };
    // The last one counts, in whatever case its name is written.
    for (const [name, value] of [...entriesOf(set), ...entriesOf(options.headers)]) {
      if (value !== undefined) headers.set(name, value as string);
    }
    return { method, redirect: 'error', headers, body: text ?? null } as const;
  }

  #learn(
    { cost, isCapped }: Request,
    response: Response,
    sentAt: number,
    failed: PetstoreError | undefined,
  ): RateLimit | undefined {
    const rateLimit = rateLimitOf(response.headers, sentAt);
    // Only the plan has a day. A minute alone is that of the address, or the cap of a free operation.
    if (rateLimit?.windows.day) {
      this.rateLimit = rateLimit;
      this.#gate.learn(rateLimit);
    }
    if (failed instanceof RateLimitError && cost !== 0 && !isCapped)
      this.#gate.block(retryAfterMs(response) ?? 1000, failed);
    return rateLimit;
  }

  #warn(operation: string, headers: Headers): void {
    const sunset = headers.get('sunset') ?? undefined;
    const link = headers.get('link');
    const successor = link?.match(/<([^>]*)>\s*;[^,]*\brel="successor-version"/)?.[1];
    const { onDeprecated } = this.#options;
    notify(onDeprecated, { operation, sunset, successor });
    // Once per operation and process, which is enough for people.
    if (onDeprecated || warned.has(operation)) return;
    warned.add(operation);
    console.warn(`petstore: ${operation} is deprecated, sunset ${sunset}: use ${successor}`);
  }
}
