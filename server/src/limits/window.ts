// The arithmetic of the two windows. A minute is 60 s from the first counted request, a day is the UTC
// calendar day. The clock may jump. Forward, it ends windows as time does. Backward, it gives nothing
// back: a window that would start in the future is moved to start now, with what was used in it. So no
// window comes twice and none outlasts its length.

import { DAY_MS, MINUTE_MS } from '../domain/durations.ts';
import { type Counters, type CurrentLimits, perDayAt } from '../domain/plan.ts';

export interface WindowView {
  name: 'minute' | 'day';
  limit: number;
  remaining: number;
  /** Epoch milliseconds. */
  resetAt: number;
}

/** Both windows are over, so the first counted request opens them. */
export function unopenedCounters(): Counters {
  return { minuteStart: -MINUTE_MS, minuteUsed: 0, dayStart: -DAY_MS, dayUsed: 0 };
}

/** Keeps a clock that was set back from lengthening a window. Call it before anything else. */
export function pullBack(counters: Counters, now: number): void {
  if (counters.minuteStart > now) counters.minuteStart = now;
  if (counters.dayStart > now) counters.dayStart = now;
}

/** The windows in which a request was counted. */
export type CountedIn = Pick<Counters, 'minuteStart' | 'dayStart'>;

export function countedIn([minute, day]: readonly WindowView[]): CountedIn {
  return { minuteStart: minute!.resetAt - MINUTE_MS, dayStart: day!.resetAt - DAY_MS };
}

/** Gives one request back, in each window that is still the one in which it was counted. */
export function uncount(counters: Counters, { minuteStart, dayStart }: CountedIn): void {
  if (counters.minuteStart === minuteStart && counters.minuteUsed > 0) counters.minuteUsed -= 1;
  if (counters.dayStart === dayStart && counters.dayUsed > 0) counters.dayUsed -= 1;
}

/** Opens new windows in place of those that are over. False when none was over. */
export function openWindows(counters: Counters, now: number): boolean {
  const isNewMinute = isMinuteOver(counters, now);
  const isNewDay = isDayOver(counters, now);
  if (isNewMinute) {
    counters.minuteStart = now;
    counters.minuteUsed = 0;
  }
  if (isNewDay) {
    counters.dayStart = startOfDay(now);
    counters.dayUsed = 0;
  }
  return isNewMinute || isNewDay;
}

/** The cost of a request, and the limits that it has to fit into. */
interface Demand {
  limits: CurrentLimits;
  cost: number;
}

/** The window without room for `cost` more requests; the day first, since it lasts longer. */
export function exhaustedWindow(counters: Counters, { limits, cost }: Demand, now: number) {
  if (dayUsedAt(counters, now) + cost > perDayAt(limits, now)) return 'day';
  if (minuteUsedAt(counters, now) + cost > limits.perMinute) return 'minute';
  return undefined;
}

/** The earliest instant, from `after` on, at which `cost` more requests fit into both windows. */
export function admittedAgainAt(
  counters: Counters,
  { limits, cost }: Demand,
  after: number,
): number {
  const minuteEnd = counters.minuteStart + MINUTE_MS;
  const dayEnd = counters.dayStart + DAY_MS;
  let at = after;
  if (counters.minuteUsed + cost > limits.perMinute && minuteEnd > at) at = minuteEnd;
  if (counters.dayUsed + cost > perDayAt(limits, after) && dayEnd > at) at = dayEnd;
  return at;
}

export function viewsOf(
  counters: Counters,
  limits: CurrentLimits,
  now: number,
): [WindowView, WindowView] {
  const perDay = perDayAt(limits, now);
  const { minuteStart, minuteUsed } = counters;
  const isNewDay = isDayOver(counters, now);
  return [
    minuteView({ start: minuteStart, used: minuteUsed }, limits.perMinute, now),
    {
      name: 'day',
      limit: perDay,
      remaining: Math.max(0, perDay - dayUsedAt(counters, now)),
      resetAt: (isNewDay ? startOfDay(now) : counters.dayStart) + DAY_MS,
    },
  ];
}

/** Shows a window that is over as the one that a request would open now. */
export function minuteView(
  { start, used }: { start: number; used: number },
  limit: number,
  now: number,
): WindowView {
  const isOpen = now < start + MINUTE_MS;
  return {
    name: 'minute',
    limit,
    remaining: isOpen ? Math.max(0, limit - used) : limit,
    resetAt: (isOpen ? start : now) + MINUTE_MS,
  };
}

export function isMinuteOver(counters: Counters, now: number): boolean {
  return now >= counters.minuteStart + MINUTE_MS;
}

export function isDayOver(counters: Counters, now: number): boolean {
  return now >= counters.dayStart + DAY_MS;
}

function minuteUsedAt(counters: Counters, now: number): number {
  return isMinuteOver(counters, now) ? 0 : counters.minuteUsed;
}

function dayUsedAt(counters: Counters, now: number): number {
  return isDayOver(counters, now) ? 0 : counters.dayUsed;
}

export function startOfDay(now: number): number {
  return now - (now % DAY_MS);
}
