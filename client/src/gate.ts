import { RateLimitError } from './errors.ts';
import type { RateLimit } from './rate-limit.ts';
import { abortable, TIMER_MAX_MS } from './retry.ts';

export interface GateOptions {
  maxConcurrent: number;
  maxWaitMs: number;
  onWait?: ((ms: number) => void) | undefined;
}

interface Waiter {
  /** Costs nothing of the plan's windows. */
  isFree: boolean;
  /** When it began to wait for a window. */
  since?: number;
  admit: () => void;
  refuse: (err: Error) => void;
}

interface KnownWindow {
  /** Undefined for the wait that a refusal imposes. */
  limit?: number;
  remaining: number;
  resetAt: number;
}

/** Reset times are rounded to seconds, so two that are closer than this are the same window. */
const SAME_WINDOW_MS = 1_500;
/** The seconds of a refusal are rounded up and count from its response, so a window of `maxWaitMs` ends a little later. */
const WAIT_TOLERANCE = 1.02;
/** Stands for a minute that no response has shown yet. If as many calls are refused, the key is not banned. */
const UNKNOWN = { remaining: 10 };
/** Stands among the windows for the wait that a refusal imposes. */
const REFUSED = 'refused';

/**
 * Decides when a call may be sent. At most `maxConcurrent` are in flight, and never more than a window of the plan has
 * left. Once a window is spent, nothing is sent until it starts anew, so one client cannot get its key
 * banned. Calls wait in order.
 */
export class Gate {
  readonly #options: GateOptions;
  #inFlight = 0;
  #queue: Waiter[] = [];
  readonly #windows = new Map<string, KnownWindow>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Resolves when the call may be sent. Every call that entered leaves. */
  enter(isMetered: boolean, signal: AbortSignal | undefined): Promise<void> {
    return abortable(signal, (admit, refuse) => {
      const waiter: Waiter = { isFree: !isMetered, admit, refuse };
      this.#queue.push(waiter);
      this.#next();
      return () => {
        this.#queue = this.#queue.filter((each) => each !== waiter);
        // The last one that waited takes the timer with it, which would keep a process alive.
        this.#next();
      };
    });
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#next();
  }

  /** Learns from a response what the windows have left. */
  learn({ windows }: RateLimit): void {
    const now = performance.now();
    for (const [name, window] of Object.entries(windows)) {
      const { limit, remaining } = window;
      // The clock of the machine may be set while calls wait; the monotonic one runs on.
      const resetAt = now + window.resetAt.getTime() - Date.now();
      // The window may have ended while the response was on its way.
      if (resetAt <= now) continue;
      const known = this.#windows.get(name);
      const hasNewLimit = known && known.limit !== limit;
      const isSame = known && resetAt - known.resetAt < SAME_WINDOW_MS;
      // Another plan takes effect at once, so what the plan before refused may be sent.
      if (hasNewLimit) this.#windows.delete(REFUSED);
      // Responses may arrive out of order, and the lowest number is the newest.
      if (isSame && !hasNewLimit) known.remaining = Math.min(known.remaining, remaining);
      else this.#windows.set(name, { limit, remaining, resetAt });
    }
  }

  /** A refusal: nothing that counts is sent before `ms` have passed. */
  block(ms: number): void {
    const known = this.#windows.get(REFUSED)?.resetAt ?? 0;
    const resetAt = Math.max(known, performance.now() + ms);
    this.#windows.set(REFUSED, { remaining: 0, resetAt });
  }

  #next(): void {
    const now = performance.now();
    for (const [name, { resetAt }] of this.#windows) {
      if (resetAt <= now) this.#windows.delete(name);
    }
    while (this.#inFlight < this.#options.maxConcurrent) {
      const windows = [this.#windows.get('minute') ?? UNKNOWN, ...this.#windows.values()];
      const hasRoom = windows.every(({ remaining }) => this.#inFlight < remaining);
      const waiter = this.#queue.find(({ isFree }) => isFree || hasRoom);
      if (!waiter) break;
      this.#queue.splice(this.#queue.indexOf(waiter), 1);
      this.#inFlight += 1;
      waiter.admit();
    }
    this.#waitForReset(now);
  }

  /** Refuses the calls that would wait too long, and wakes the others when the window starts anew. */
  #waitForReset(now: number): void {
    clearTimeout(this.#timer);
    let until = 0;
    for (const { remaining, resetAt } of this.#windows.values()) {
      if (remaining === 0) until = Math.max(until, resetAt);
    }
    if (until === 0) return;
    this.#queue = this.#queue.filter((waiter) => {
      // Not when it was called: a window that opened after that ends later than maxWaitMs from then.
      waiter.since ??= now;
      const isLate =
        !waiter.isFree && until - waiter.since > this.#options.maxWaitMs * WAIT_TOLERANCE;
      if (isLate) waiter.refuse(localRefusal(until - now));
      return !isLate;
    });
    if (this.#queue.length === 0) return;
    this.#options.onWait?.(until - now);
    this.#timer = setTimeout(() => this.#next(), Math.min(TIMER_MAX_MS, until - now));
  }
}

function localRefusal(waitMs: number): RateLimitError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new RateLimitError({
    code: 'rate_limit_exceeded',
    message: `The plan's requests are used up; try again in ${retryAfterSeconds} s. Nothing was sent.`,
    status: 429,
    retryAfterSeconds,
    isLocal: true,
  });
}
