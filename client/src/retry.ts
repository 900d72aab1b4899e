import { PetstoreError, retryAfterMs } from './errors.ts';

/** A status and a code; the status of a lost connection is 0. */
const RETRIED = /^(0|408|50[0234]) | (rate_limit_exceeded|idempotency_in_progress)$/;
/** Timers of Node and browsers hold 32 bits, and fire at once beyond. */
export const TIMER_MAX_MS = 2_000_000_000;
/** Of `maxWaitMs`, if it is not given. */
export const WAIT_MAX_MS = 60_000;

interface RetryPolicy {
  maxRetries: number;
  maxWaitMs: number;
}

/**
 * How long to wait before the next attempt; undefined when the error is final. The wait is never shorter than
 * Retry-After. `attempt` counts from 0.
 */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  { maxRetries, maxWaitMs }: RetryPolicy,
): number | undefined {
  if (!(error instanceof PetstoreError)) return undefined;
  const isRetried = RETRIED.test(`${error.status} ${error.code}`);
  if (!isRetried || attempt >= maxRetries) return undefined;
  const asked = retryAfterMs(error.response);
  // Back-off spares a service that fails, so it does not depend on how long the caller would wait for a limit.
  if (asked === undefined) return backoffMs(attempt);
  return asked > Math.min(TIMER_MAX_MS, maxWaitMs) ? undefined : asked + Math.random() * 250;
}

/** Half of it is random, so that clients that failed together do not come back together. */
function backoffMs(attempt: number): number {
  return Math.min(8_000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Waits, unless the signal is aborted first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return abortable<void>(signal, (resolve) => {
    const timer = setTimeout(resolve, ms);
    return () => clearTimeout(timer);
  });
}

/** A promise that an aborted signal rejects. `begin` returns what ends the work then. */
export function abortable<T>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (err: unknown) => void) => () => void,
): Promise<T> {
  let abort: () => void;
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted();
    const end = begin(resolve, reject);
    abort = () => {
      end();
      reject(signal!.reason);
    };
    signal?.addEventListener('abort', abort);
  }).finally(() => signal?.removeEventListener('abort', abort));
}

/** Settles as the work does, unless the signal is aborted first. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  // A failure after the abort is not reported.
  work.catch(() => {});
  return abortable<T>(signal, (resolve, reject) => {
    work.then(resolve, reject);
    return () => {};
  });
}

/**
 * Aborts the controller with the signal, until the returned function is called. `AbortSignal.any` is no substitute: on
 * Node 20 and 22 a garbage collection may remove its signal while a body is read.
 */
export function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const abort = () => controller.abort(signal!.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  return () => signal?.removeEventListener('abort', abort);
}
