// What may be used before it is written: the counters that the database has, called granted here,
// are never behind those that count, and ahead of them by a twentieth of the smaller limit at the
// most. Both are written together, so a larger block of the day would save no write, and a service
// that crashes again and again would use up the day.

import type { Limits } from '../../domain/plan.ts';
import type { Counters } from '../window.ts';

/** The database has these windows, with room for `cost` more requests in both. */
export function isCovered(counters: Counters, granted: Counters, cost: number): boolean {
  return (
    counters.minuteStart === granted.minuteStart &&
    counters.dayStart === granted.dayStart &&
    counters.minuteUsed + cost <= granted.minuteUsed &&
    counters.dayUsed + cost <= granted.dayUsed
  );
}

/** Half a block is left of what was granted, or all that the limits allow is granted already. */
export function isAmple(counters: Counters, granted: Counters, limits: Limits): boolean {
  const block = blockOf(limits);
  return (
    hasHalf(block, counters.minuteUsed, granted.minuteUsed, limits.perMinute) &&
    hasHalf(block, counters.dayUsed, granted.dayUsed, limits.perDay)
  );
}

/**
 * The counters to write so that a request of `cost`, or the next ones, can be counted. What was
 * granted in the same window stays granted, also after a change to a smaller plan: it is being used
 * meanwhile.
 */
export function nextGrant(
  counters: Counters,
  granted: Counters,
  limits: Limits,
  cost: number,
): Counters {
  const { minuteStart, dayStart, minuteUsed, dayUsed } = counters;
  const block = blockOf(limits);
  const minuteGranted = granted.minuteStart === minuteStart ? granted.minuteUsed : 0;
  const dayGranted = granted.dayStart === dayStart ? granted.dayUsed : 0;
  return {
    minuteStart,
    minuteUsed: Math.max(minuteGranted, aheadOf(block, minuteUsed, limits.perMinute, cost)),
    dayStart,
    dayUsed: Math.max(dayGranted, aheadOf(block, dayUsed, limits.perDay, cost)),
  };
}

export function isSame(left: Counters, right: Counters): boolean {
  return (
    left.minuteStart === right.minuteStart &&
    left.minuteUsed === right.minuteUsed &&
    left.dayStart === right.dayStart &&
    left.dayUsed === right.dayUsed
  );
}

function hasHalf(block: number, used: number, granted: number, limit: number): boolean {
  return granted >= limit || (granted - used) * 2 >= block;
}

function aheadOf(block: number, used: number, limit: number, cost: number): number {
  return Math.max(used + cost, Math.min(limit, used + block));
}

function blockOf({ perMinute, perDay }: Limits): number {
  return Math.max(1, Math.floor(Math.min(perMinute, perDay) / 20));
}
