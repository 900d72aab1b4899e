import { type ErrorFacts, RateLimitError } from './errors.ts';
import type { PetstoreOptions } from './options.ts';
import type { RateLimit } from './rate-limit.ts';
import { abortable, TIMER_MAX_MS } from './retry.ts';

export type GateOptions = Pick<PetstoreOptions, 'maxConcurrent' | 'onWait'>;

/** One attempt of a call on its way through the gate. */
interface Pass {
  /** The requests of the quota that it costs; 0 for a free call. */
  cost: number;
  maxWaitMs: number;
  /** When it began to wait for a window; Infinity if it has not. */
  since: number;
  /** Was let out to see whether a spent window is still spent. */
  isProbe: boolean;
}

interface Waiter {
  pass: Pass;
  admit: () => void;
  refuse: (err: Error) => void;
}

/** Why nothing is sent: what the service said, or what a window shows. */
type Reason = Pick<ErrorFacts, 'code' | 'details'>;

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
/** Another client may raise the plan, and an operator may lift a ban: how long nothing is asked about it. */
const PROBE_MS = 60_000;
/** The code of a refusal by a window. */
const CODES: Record<string, string> = { day: 'quota_exceeded' };
/** A window that no response has shown yet. */
const UNKNOWN: KnownWindow = { limit: Infinity, remaining: 0, resetAt: 0 };

/**
 * Decides when a call may be sent. At most `maxConcurrent` are in flight, and together they cost no more than each window
 * of the plan has left. Once a window is spent, nothing is sent until it starts anew, except one call a minute that sees
 * whether that has changed. So one client cannot get its key banned. Metered calls wait in order.
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
  /** Of the refusal that lasts until then. */
  #refusedBy: Reason | undefined;
  /** When the next probe may be sent. */
  #probeAt = 0;
  #isProbing = false;
  /** When the window ends that the first metered call waits for; 0 if it waits for none. */
  #until = 0;
  /** The end of the window that `onWait` was last called for. */
  #notified = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Resolves when the call may be sent. Every call that entered leaves. */
  enter(pass: Pass, signal: AbortSignal | undefined): Promise<void> {
    return abortable<void>(signal, (admit, refuse) => {
      const queue = pass.cost > 0 ? this.#metered : this.#free;
      if (this.#until) pass.since = Math.min(pass.since, performance.now());
      const waiter = { pass, admit, refuse };
      // A probe that was refused was the first of the queue.
      if (pass.isProbe) queue.unshift(waiter);
      else queue.push(waiter);
      pass.isProbe = false;
      this.#next();
      return () => {
        const at = queue.indexOf(waiter);
        if (at >= 0) queue.splice(at, 1);
        // The last one that waited takes the timer with it, which would keep a process alive.
        this.#next();
      };
    });
  }

  leave({ cost, isProbe }: Pass): void {
    this.#inFlight -= 1;
    this.#spending -= cost;
    if (isProbe) this.#isProbing = false;
    this.#next();
  }

  /** Learns from a response what the windows have left. */
  learn({ windows }: RateLimit): void {
    const now = performance.now();
    this.#probeAt = now + PROBE_MS;
    // No other call is in flight, so what a probe learns is the newest.
    if (this.#isProbing) this.#refusedUntil = 0;
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
      if (laterMs < SAME_WINDOW_MS && !hasNewLimit && !this.#isProbing)
        known.remaining = Math.min(known.remaining, remaining);
      else this.#windows[name] = { limit, remaining, resetAt };
    }
  }

  /** A refusal: nothing that counts is sent before `ms` have passed. */
  block(ms: number, reason: Reason): void {
    const now = performance.now();
    this.#probeAt = now + PROBE_MS;
    if (now + ms < this.#refusedUntil) return;
    this.#refusedUntil = now + ms;
    this.#refusedBy = reason;
  }

  /** Admits the calls whose turn it is. */
  #next(): void {
    const { maxConcurrent = 10 } = this.#options;
    const now = performance.now();
    for (;;) {
      // The first of the queue decides for all that wait behind it.
      const { cost } = this.#metered[0]?.pass ?? { cost: 0 };
      const { until, hasRoom, reason } = this.#roomFor(cost, now);
      const isProbe = until > 0 && now >= this.#probeAt && this.#spending === 0;
      if (until !== this.#until && !isProbe) {
        this.#waitUntil(until, now, reason);
        continue;
      }
      // A free call goes first, unless free calls are all that is in flight: neither kind keeps the other out.
      const isFree = !isProbe && (!hasRoom || (this.#free.length > 0 && this.#spending > 0));
      const queue = isFree ? this.#free : this.#metered;
      const waiter = this.#inFlight < maxConcurrent && queue.shift();
      if (!waiter) return;
      this.#inFlight += 1;
      this.#spending += waiter.pass.cost;
      if (isProbe) {
        this.#isProbing = waiter.pass.isProbe = true;
        this.#probeAt = now + PROBE_MS;
      }
      waiter.admit();
    }
  }

  /** Whether a metered call of this cost fits, and when the window ends that keeps it from being sent; 0 if none does. */
  #roomFor(cost: number, now: number): { until: number; hasRoom: boolean; reason: Reason } {
    let hasRoom = cost > 0;
    let until = cost && this.#refusedUntil;
    let reason = this.#refusedBy!;
    for (const [limit, { remaining, resetAt }] of Object.entries(this.#windows)) {
      const left = resetAt > now ? remaining : REMAINING_UNKNOWN;
      if (cost > left && resetAt > until) {
        until = resetAt;
        reason = { code: CODES[limit] ?? 'rate_limit_exceeded', details: { limit } };
      }
      if (cost + this.#spending > left) hasRoom = false;
    }
    if (until <= now) until = 0;
    return { until, hasRoom: hasRoom && until === 0, reason };
  }

  /** Refuses the calls that would wait too long, and wakes the others when the window starts anew or a probe is due. */
  #waitUntil(until: number, now: number, reason: Reason): void {
    this.#until = until;
    clearTimeout(this.#timer);
    if (until === 0) return;
    for (const waiter of this.#metered.splice(0)) {
      const { pass } = waiter;
      // Not when it was called: a window that opened after that ends later than maxWaitMs from then.
      pass.since = Math.min(pass.since, now);
      const isLate = until - pass.since > pass.maxWaitMs * WAIT_TOLERANCE;
      if (isLate) waiter.refuse(localRefusal(until - now, reason));
      else this.#metered.push(waiter);
    }
    if (this.#metered.length === 0) return;
    // A probe that changed nothing is no news.
    if (Math.abs(until - this.#notified) > SAME_WINDOW_MS) this.#options.onWait?.(until - now);
    this.#notified = until;
    const wake = () => {
      this.#until = 0;
      this.#next();
    };
    // A probe that is due already is sent when the calls in flight have left.
    const at = this.#probeAt > now ? Math.min(until, this.#probeAt) : until;
    this.#timer = setTimeout(wake, Math.min(TIMER_MAX_MS, at - now));
  }
}

function localRefusal(waitMs: number, reason: Reason): RateLimitError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const what = reason.code === 'key_banned' ? 'the key is banned' : 'the plan has nothing left';
  return new RateLimitError({
    ...reason,
    message: `Not sent: ${what} for ${retryAfterSeconds} s.`,
    status: 429,
    retryAfterSeconds,
    isLocal: true,
  });
}
