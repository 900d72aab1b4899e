// What is left of the plan's windows, as the last response said, and the wait that a refusal imposes.

import { ConnectionError, PetstoreError, RateLimitError } from '@petstore/client';
import { type Signal, signal } from '@preact/signals';
import { store } from './store.ts';

export interface Window {
  limit: number;
  remaining: number;
  /** Epoch milliseconds. */
  resetAt: number;
}

export interface Refusal {
  /** Which limit refused, or why no answer came. */
  kind: 'minute' | 'day' | 'ban' | 'unavailable';
  /** Epoch milliseconds. */
  since: number;
  until: number;
  refusalsBeforeBan?: number;
}

export const minuteWindow = signal<Window | undefined>(undefined);
export const dayWindow = signal<Window | undefined>(undefined);
export const refusal = signal<Refusal | undefined>(undefined);

/** Whether nothing at all is sent: a refused minute, a ban, or a service that does not answer. */
export const isSilent = signal(false);

/** How long to wait before a service that gave no answer is asked again. */
const RETRY_MS = 5_000;
/** Reset times are rounded to seconds, so two that are closer than this are the same window. */
const SAME_WINDOW_MS = 1_500;
let timer: ReturnType<typeof setTimeout> | undefined;
const ended = new Set<() => void>();

/** Calls back whenever a refusal is over. */
export function onRefusalEnd(callback: () => void): void {
  ended.add(callback);
}

/** Runs a call of the client, and learns from its answer. */
export async function observed<T>(call: () => PromiseLike<T>): Promise<T> {
  try {
    const result = await call();
    noteHeaders();
    if (refusal.value?.kind === 'unavailable') refusal.value = undefined;
    return result;
  } catch (err) {
    // The windows come first: they say which limit a refusal of the client itself means.
    noteHeaders();
    noteError(err);
    throw err;
  }
}

function noteHeaders(): void {
  const { minute, day } = store.rateLimit?.windows ?? {};
  // A request without a valid key is counted for its address, which has a minute alone.
  if (!minute || !day) return;
  const hasNewLimit = dayWindow.value !== undefined && dayWindow.value.limit !== day.limit;
  noteWindow(minuteWindow, { ...minute, resetAt: minute.resetAt.getTime() });
  noteWindow(dayWindow, { ...day, resetAt: day.resetAt.getTime() });
  // Another plan takes effect at once.
  if (hasNewLimit && refusal.value?.kind === 'day') endRefusal();
}

/** Responses may arrive out of order. Within a window the lowest number is the newest. */
function noteWindow(target: Signal<Window | undefined>, next: Window): void {
  const known = target.value;
  const isSame =
    known?.limit === next.limit && Math.abs(known.resetAt - next.resetAt) < SAME_WINDOW_MS;
  target.value = isSame ? { ...next, remaining: Math.min(known.remaining, next.remaining) } : next;
}

function noteError(err: unknown): void {
  if (err instanceof RateLimitError) {
    const kind = kindOf(err);
    const ms = err.retryAfterSeconds * 1000;
    if (kind) beginRefusal(kind, ms, err.refusalsBeforeBan);
    // The cap of a free operation stops no other. What it refused is read again when it is over.
    else setTimeout(() => refusal.value || endRefusal(), ms);
    return;
  }
  const isGone = err instanceof ConnectionError;
  const isAway =
    err instanceof PetstoreError &&
    (err.status === 503 || err.status === 502 || err.status === 504);
  if (isGone || isAway) beginRefusal('unavailable', RETRY_MS);
}

/** Which limit refused; undefined for the cap of a free operation, which is no refusal of the plan. */
function kindOf({ code, isLocal, refusalsBeforeBan }: RateLimitError): Refusal['kind'] | undefined {
  if (code === 'key_banned') return 'ban';
  if (code === 'quota_exceeded') return 'day';
  if (!isLocal) return refusalsBeforeBan === undefined ? undefined : 'minute';
  // The client sent nothing, because it knows of a wait: the one that runs, or the window that is used up.
  const running = refusal.value;
  if (running && running.kind !== 'unavailable' && running.until > Date.now()) return running.kind;
  return dayWindow.value?.remaining === 0 ? 'day' : 'minute';
}

function beginRefusal(kind: Refusal['kind'], ms: number, refusalsBeforeBan?: number): void {
  const now = Date.now();
  const known = refusal.value;
  if (known && known.kind === kind && kind !== 'unavailable' && known.until > now) return;
  refusal.value = {
    kind,
    since: known?.kind === kind ? known.since : now,
    until: now + ms,
    refusalsBeforeBan,
  };
  isSilent.value = kind !== 'day';
  clearTimeout(timer);
  // A ban sends nothing by itself; timers hold 24 days at the most.
  if (kind !== 'ban') timer = setTimeout(endRefusal, Math.min(ms, 2 ** 31 - 1));
}

/**
 * Ends the wait: what was kept is sent, and what failed is read again. A service that gave no answer counts as away
 * until it gives one.
 */
export function endRefusal(): void {
  clearTimeout(timer);
  isSilent.value = false;
  if (refusal.value?.kind !== 'unavailable') refusal.value = undefined;
  for (const callback of [...ended]) callback();
}

/** Forgets the wait: it was another session's. */
export function clearRefusal(): void {
  clearTimeout(timer);
  isSilent.value = false;
  refusal.value = undefined;
}
