import { type PetstoreError, retryAfterMs } from './errors.ts';

const RETRIED_STATUSES = new Set([0, 408, 500, 502, 503, 504]);
const RETRIED_CODES = new Set(['rate_limit_exceeded', 'idempotency_in_progress']);
const BACK_OFF_FIRST_MS = 500;
const BACK_OFF_MAX_MS = 8_000;
const JITTER_MS = 250;

export interface RetryPolicy {
  maxRetries: number;
  maxWaitMs: number;
}

/**
 * How long to wait before the next attempt; undefined when the error is final. The wait is never shorter than
 * Retry-After. `attempt` counts from 0.
 */
export function retryDelayMs(
  error: PetstoreError,
  attempt: number,
  { maxRetries, maxWaitMs }: RetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  const isRetried = RETRIED_STATUSES.has(error.status) || RETRIED_CODES.has(error.code);
  if (!isRetried || attempt >= maxRetries) return undefined;
  const asked = error.response && retryAfterMs(error.response.headers);
  if (asked === undefined) {
    return random() * Math.min(BACK_OFF_MAX_MS, BACK_OFF_FIRST_MS * 2 ** attempt);
  }
  return asked > maxWaitMs ? undefined : asked + random() * JITTER_MS;
}

/** Waits, unless the signal is aborted first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
