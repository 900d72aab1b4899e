import { RateLimitError } from './errors.ts';
import type { PetstoreOptions } from './options.ts';
import type { RateLimit } from './rate-limit.ts';
import { abortable, TIMER_MAX_MS, WAIT_MAX_MS } from './retry.ts';

export type GateOptions = Pick<PetstoreOptions, 'maxConcurrent' | 'maxWaitMs' | 'onWait'>;

interface Waiter {
  /** The requests of the quota that it costs; 0 for a free call. */
  cost: number;
  /** When it began to wait for a window; Infinity if it has not. */
  since: number;
  admit: () => void;
  refuse: (err: Error) => void;
}

interface KnownWindow {
  limit: number;
  remaining: number;
  resetAt: number;
}

/** Reset times are rounded to seconds, so two that are closer than this are the same window. */
const SAME_WINDOW_MS = 1_500;
/** The seconds of a refusal are rounded up and count from its response, so a window of `maxWaitMs` ends a little later. */
const WAIT_TOLERANCE = 1.02;
/** Of a minute that no response has shown yet. If as many calls are refused, the key is not banned. */
const REMAINING_UNKNOWN = 10;
/** A window that no response has shown yet. */
const UNKNOWN: KnownWindow = { limit: Infinity, remaining: 0, resetAt: 0 };

/**
 * Decides when a call may be sent. At most `maxConcurrent` are in flight, and together they cost no more than each window
 * of the plan has left. Once a window is spent, nothing is sent until it starts anew, so one client cannot get its key
 * banned. Metered calls wait in order.
 */
export class Gate {
  readonly #options: GateOptions;
  #inFlight = 0;
  /** What the calls in flight cost. */
  #spending = 0;
  readonly #free: Waiter[] = [];
  readonly #metered: Waiter[] = [];
  readonly #windows: Record<string, KnownWindow> = { minute: UNKNOWN };
  #refusedUntil = 0;
  /** When the window ends that the first metered call waits for; 0 if it waits for none. */
  #until = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Resolves when a call of this cost may be sent. Every call that entered leaves. */
  enter(cost: number, signal: AbortSignal | undefined): Promise<void> {
    return abortable(signal, (admit, refuse) => {
      const queue = cost > 0 ? this.#metered : this.#free;
      const since = this.#until ? performance.now() : Infinity;
      const waiter = { cost, since, admit, refuse };
      queue.push(waiter);
      this.#next();
      return () => {
        const at = queue.indexOf(waiter);
        if (at >= 0) queue.splice(at, 1);
        // The last one that waited takes the timer with it, which would keep a process alive.
        this.#next();
      };
    });
  }

  leave(cost: number): void {
    this.#inFlight -= 1;
    this.#spending -= cost;
    this.#next();
  }

  /** Learns from a response what the windows have left. */
  learn({ windows }: RateLimit): void {
    const now = performance.now();
    for (const [name, window] of Object.entries(windows)) {
      const { limit, remaining } = window;
      // The clock of the machine may be set while calls wait; the monotonic one runs on.
      const resetAt = now + Number(window.resetAt) - Date.now();
      const known = this.#windows[name] ?? UNKNOWN;
      const laterMs = resetAt - known.resetAt;
      // The window may have ended while the response was on its way. Its seconds are rounded up, so it may also have ended
      // if the known one ends later.
      if (resetAt <= now + (laterMs <= -SAME_WINDOW_MS ? 1000 : 0)) continue;
      const hasNewLimit = limit !== known.limit;
      // Another plan takes effect at once, so what the plan before refused may be sent.
      if (hasNewLimit) this.#refusedUntil = 0;
      // Responses may arrive out of order, and the lowest number is the newest.
      if (laterMs < SAME_WINDOW_MS && !hasNewLimit)
        known.remaining = Math.min(known.remaining, remaining);
      else this.#windows[name] = { limit, remaining, resetAt };
    }
  }

  /** A refusal: nothing that counts is sent before `ms` have passed. */
  block(ms: number): void {
    this.#refusedUntil = Math.max(this.#refusedUntil, performance.now() + ms);
  }

  /** Admits the calls whose turn it is. */
  #next(): void {
    const { maxConcurrent = 10 } = this.#options;
    const now = performance.now();
    for (;;) {
      // The first of the queue decides for all that wait behind it.
      const cost = this.#metered[0]?.cost ?? 0;
      let hasRoom = cost > 0;
      let until = cost && this.#refusedUntil;
      for (const { remaining, resetAt } of Object.values(this.#windows)) {
        const left = resetAt > now ? remaining : REMAINING_UNKNOWN;
        if (cost > left) until = Math.max(until, resetAt);
        if (cost + this.#spending > left) hasRoom = false;
      }
      if (until <= now) until = 0;
      if (until !== this.#until) {
        this.#waitUntil(until, now);
        continue;
      }
      // A free call goes first, unless free calls are all that is in flight: neither kind keeps the other out.
      const isFree = until > 0 || !hasRoom || (this.#free.length > 0 && this.#spending > 0);
      const queue = isFree ? this.#free : this.#metered;
      const waiter = this.#inFlight < maxConcurrent && queue.shift();
      if (!waiter) return;
      this.#inFlight += 1;
      this.#spending += waiter.cost;
      waiter.admit();
    }
  }

  /** Refuses the calls that would wait too long, and wakes the others when the window starts anew. */
  #waitUntil(until: number, now: number): void {
    const { maxWaitMs = WAIT_MAX_MS, onWait } = this.#options;
    this.#until = until;
    clearTimeout(this.#timer);
    if (until === 0) return;
    for (const waiter of this.#metered.splice(0)) {
      // Not when it was called: a window that opened after that ends later than maxWaitMs from then.
      waiter.since = Math.min(waiter.since, now);
      const isLate = until - waiter.since > maxWaitMs * WAIT_TOLERANCE;
      if (isLate) waiter.refuse(localRefusal(until - now));
      else this.#metered.push(waiter);
    }
    if (this.#metered.length === 0) return;
    onWait?.(until - now);
    const wake = () => {
      this.#until = 0;
      this.#next();
    };
    this.#timer = setTimeout(wake, Math.min(TIMER_MAX_MS, until - now));
  }
}

function localRefusal(waitMs: number): RateLimitError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new RateLimitError({
    code: 'rate_limit_exceeded',
    message: `Not sent: the plan has nothing left for ${retryAfterSeconds} s.`,
    status: 429,
    retryAfterSeconds,
    isLocal: true,
  });
}
