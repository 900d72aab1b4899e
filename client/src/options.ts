export interface PetstoreOptions {
  /**
   * The key, or a function that returns it, which is called for each attempt and which neither `signal` nor `timeoutMs`
   * ends. Default: `PETSTORE_API_KEY`. A page of the console has a session instead.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Default: `PETSTORE_BASE_URL`, else `http://127.0.0.1:8080`. With or without `/v1` it means the same. In a page it may
   * be a path, like `/`.
   */
  baseUrl?: string | URL | undefined;
  fetch?: typeof fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
  maxRetries?: number;
  /** For each attempt. At least 1; `Infinity` for no limit. */
  timeoutMs?: number;
  /**
   * The longest wait for the next window of the plan or for `Retry-After`, 23 days at most. The back-off of a retry does
   * not depend on it.
   */
  maxWaitMs?: number;
  /**
   * The most requests in flight at once, a whole number from 1. Default: 10. At most 10 until a response has shown what the
   * plan's minute has left.
   */
  maxConcurrent?: number;
  /**
   * Notified before a wait, for a retry or for the next window of the plan; once for all calls that wait for the same
   * window. Only a stream of events gives the error: it notifies once per outage, and again when the wait grows. It must
   * not throw, except to end a stream.
   */
  onWait?: ((ms: number, error?: unknown) => void) | undefined;
  /**
   * Notified of every attempt, without the key; of a stream when it is connected or could not be. What it throws
   * is written to the console: it does not change the outcome of the call.
   */
  onRequest?: (event: RequestEvent) => void;
  /** Notified of every call of a deprecated operation. It replaces the warning, which appears once per process. */
  onDeprecated?: (event: DeprecationEvent) => void;
}

/** One attempt, after it has ended; of a stream, after its connection was opened. */
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
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  maxWaitMs?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** Returns 304 without data when the record still has this ETag. */
  ifNoneMatch?: string | undefined;
}

/** A stream reconnects for as long as it is read, so it has no `timeoutMs` and no `maxRetries`. */
export interface StreamOptions extends Pick<RequestOptions, 'signal' | 'headers'> {
  /** Called each time the stream is connected. */
  onOpen?: () => void;
  /** Called once after each `onOpen`: the connection is lost, the stream reconnects, or it has ended. */
  onClose?: () => void;
}

export interface WriteOptions extends Omit<RequestOptions, 'ifNoneMatch'> {
  /** Default: a new one for each call, the same for all its attempts. */
  idempotencyKey?: string | undefined;
  /** Refuses the change when the record has another ETag. */
  ifMatch?: string | undefined;
}

export interface DryRunOptions extends WriteOptions {
  /** Checks and decides the request as usual, and keeps nothing. */
  dryRun?: boolean | undefined;
}

/** What a request of any operation may have. */
export interface AnyRequestOptions extends RequestOptions, DryRunOptions {
  query?: object | undefined;
  body?: unknown;
}
