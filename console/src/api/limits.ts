// What is left of the plan's windows, as the last response said, and the pause in which nothing is sent.

import { ConnectionError, PetstoreError, RateLimitError } from '@petstore/client';
import { computed, type Signal, signal } from '@preact/signals';
import { store } from './store.ts';

export interface Window {
  limit: number;
  remaining: number;
  /** Epoch milliseconds. */
  resetAt: number;
}

/** Why nothing is sent. */
export interface Pause {
  /** The limit that refused, or why no answer comes: no network, a service that is away, a session that is being left. */
  kind: 'minute' | 'day' | 'ban' | 'offline' | 'away' | 'leaving';
  /** Epoch milliseconds. */
  since: number;
  until: number;
  refusalsBeforeBan?: number;
  /** Whether the wait is over and the service has not answered yet. */
  isTrying?: boolean;
}

export const minuteWindow = signal<Window | undefined>(undefined);
export const dayWindow = signal<Window | undefined>(undefined);
/** The one place that says whether requests are sent. */
export const pause = signal<Pause | undefined>(undefined);

/** Whether nothing is sent that the plan counts. When the day is spent, the service itself refuses what it counts. */
export const isPaused = computed(
  () => pause.value !== undefined && pause.value.kind !== 'day' && !pause.value.isTrying,
);

/** Whether not even what costs nothing of the plan is sent. It is while the minute is used up. */
export const isFreePaused = computed(() => isPaused.value && pause.value?.kind !== 'minute');

/** Thrown instead of sending, while nothing is sent. */
export class NotSent extends Error {}

/** How long to wait before a service that gave no answer is asked again. */
const RETRY_MS = 5_000;
/** Reset times are rounded to seconds, so two that are closer than this are the same window. */
const SAME_WINDOW_MS = 1_500;
let timer: ReturnType<typeof setTimeout> | undefined;
const ended = new Set<() => void>();

/** Calls back whenever a pause is over. */
export function onPauseEnd(callback: () => void): void {
  ended.add(callback);
}

/** Sends what the user waits for, such as a write, and learns from its answer. */
export async function request<T>(call: () => PromiseLike<T>): Promise<T> {
  try {
    const result = await call();
    noteHeaders();
    if (isOut()) pause.value = undefined;
    return result;
  } catch (err) {
    // The windows come first: they say which limit a refusal of the client itself means.
    noteHeaders();
    noteError(err);
    throw err;
  }
}

/** Sends what the page wants by itself, unless nothing is sent. */
export async function requestUnlessPaused<T>(
  call: () => PromiseLike<T>,
  isFree = false,
): Promise<T> {
  if (isFree ? isFreePaused.value : isPaused.value) throw new NotSent();
  return request(call);
}

/** Whether no answer comes: there is no network, or the service is away. */
export function isOut(current = pause.value): boolean {
  return current?.kind === 'offline' || current?.kind === 'away';
}

function noteHeaders(): void {
  const { minute, day } = store.rateLimit?.windows ?? {};
  // A request without a valid key is counted for its address, which has a minute alone.
  if (!minute || !day) return;
  const hasNewLimit = dayWindow.value !== undefined && dayWindow.value.limit !== day.limit;
  noteWindow(minuteWindow, { ...minute, resetAt: minute.resetAt.getTime() });
  noteWindow(dayWindow, { ...day, resetAt: day.resetAt.getTime() });
  // Another plan takes effect at once.
  if (hasNewLimit && pause.value?.kind === 'day') endPause();
}

/** Responses may arrive out of order. Within a window the lowest number is the newest. */
function noteWindow(target: Signal<Window | undefined>, next: Window): void {
  const known = target.value;
  const isSame =
    known?.limit === next.limit && Math.abs(known.resetAt - next.resetAt) < SAME_WINDOW_MS;
  target.value = isSame ? { ...next, remaining: Math.min(known.remaining, next.remaining) } : next;
}

function noteError(err: unknown): void {
  const kind = pauseOf(err);
  if (err instanceof RateLimitError) {
    const ms = err.retryAfterSeconds * 1000;
    if (kind) beginPause(kind, ms, err.refusalsBeforeBan);
    // The cap of a free operation stops no other. What it refused is read again when it is over.
    else setTimeout(() => pause.value || endPause(), ms);
  } else if (kind) {
    beginPause(kind, RETRY_MS);
  }
}

const AWAY = [502, 503, 504];

/** Which pause an error means; undefined if others may go on, as after the cap of a free operation. */
export function pauseOf(err: unknown): Pause['kind'] | undefined {
  if (err instanceof RateLimitError) return limitOf(err);
  if (err instanceof ConnectionError) return navigator.onLine === false ? 'offline' : 'away';
  return err instanceof PetstoreError && AWAY.includes(err.status) ? 'away' : undefined;
}

function limitOf({ code, isLocal, refusalsBeforeBan }: RateLimitError): Pause['kind'] | undefined {
  if (code === 'key_banned') return 'ban';
  if (code === 'quota_exceeded') return 'day';
  if (!isLocal) return refusalsBeforeBan === undefined ? undefined : 'minute';
  // The client sent nothing, because it knows of a wait: the one that runs, or the window that is used up.
  const running = pause.value;
  if (running && !isOut(running) && running.until > Date.now()) return running.kind;
  return dayWindow.value?.remaining === 0 ? 'day' : 'minute';
}

function beginPause(kind: Pause['kind'], ms: number, refusalsBeforeBan?: number): void {
  const now = Date.now();
  const known = pause.value;
  if (known?.kind === 'leaving') return;
  if (known && known.kind === kind && !isOut(known) && known.until > now) return;
  pause.value = {
    kind,
    since: known?.kind === kind ? known.since : now,
    until: now + ms,
    refusalsBeforeBan,
  };
  clearTimeout(timer);
  // A ban sends nothing by itself; timers hold 24 days at the most.
  if (kind !== 'ban') timer = setTimeout(endPause, Math.min(ms, 2 ** 31 - 1));
}

/**
 * Ends the wait: what was kept is sent, and what failed is read again. A service that gave no answer counts as away
 * until it gives one.
 */
export function endPause(): void {
  const known = pause.value;
  if (known?.kind === 'leaving') return;
  clearTimeout(timer);
  pause.value = known && isOut() ? { ...known, isTrying: true } : undefined;
  for (const callback of [...ended]) callback();
}

/** Forgets the wait: it was another session's. */
export function clearPause(): void {
  clearTimeout(timer);
  pause.value = undefined;
}

/** Sends nothing but this until it is done. If it fails, the pause of before goes on. */
export async function alone(work: () => Promise<void>): Promise<void> {
  const before = pause.value;
  const now = Date.now();
  pause.value = { kind: 'leaving', since: now, until: Number.POSITIVE_INFINITY };
  try {
    await work();
  } finally {
    if (pause.value?.kind === 'leaving' || before?.kind === 'ban') pause.value = before;
    if (before && before.until <= Date.now() && before.kind !== 'ban') endPause();
  }
}

globalThis.addEventListener?.('online', () => {
  if (pause.value?.kind === 'offline') endPause();
});
