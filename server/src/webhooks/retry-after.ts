import { HOUR_MS, SECOND_MS } from '../domain/durations.ts';

const RETRY_AFTER_MIN_MS = SECOND_MS;
const RETRY_AFTER_MAX_MS = HOUR_MS;

/** Milliseconds of a Retry-After in seconds or as a date, kept between a second and an hour. */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
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
