// A grant: counters that are written to the database before they are used, in blocks. The database is
// never behind what was used, and ahead by at most a block, which is what a crash forfeits. So a block
// is a small part of both limits, and smaller still in a minute that a crash may have shortened before.

import type { Counters, Limits } from '../../domain/plan.ts';

export interface GrantRules {
  limits: Limits;
  /** The minute was open when this process loaded it, so an earlier process may have crashed in it. */
  isInherited: boolean;
}

/** True when the database already has `cost` more requests in both windows. */
export function isGranted(counters: Counters, granted: Counters, cost: number): boolean {
  return (
    counters.minuteStart === granted.minuteStart &&
    counters.dayStart === granted.dayStart &&
    counters.minuteUsed + cost <= granted.minuteUsed &&
    counters.dayUsed + cost <= granted.dayUsed
  );
}

/** True when less than half a block is left, unless all that the limits allow is granted. */
export function needsGrant(counters: Counters, granted: Counters, rules: GrantRules): boolean {
  const { limits } = rules;
  const block = blockOf(rules);
  const isShort = (used: number, grantedUsed: number, limit: number) =>
    grantedUsed < limit && (grantedUsed - used) * 2 < block;
  return (
    isShort(counters.minuteUsed, granted.minuteUsed, limits.perMinute) ||
    isShort(counters.dayUsed, granted.dayUsed, limits.perDay)
  );
}

/**
 * The counters to write for a request of `cost` and those after it. What was granted in the same
 * window stays granted, also after a change to a smaller plan: it may be in use.
 */
export function nextGrant(
  counters: Counters,
  granted: Counters,
  rules: GrantRules & { cost: number },
): Counters {
  const { limits, cost } = rules;
  const { minuteStart, dayStart, minuteUsed, dayUsed } = counters;
  const block = blockOf(rules);
  const aheadOf = (used: number, limit: number) =>
    Math.max(used + cost, Math.min(limit, used + block));
  const minuteGranted = granted.minuteStart === minuteStart ? granted.minuteUsed : 0;
  const dayGranted = granted.dayStart === dayStart ? granted.dayUsed : 0;
  return {
    minuteStart,
    minuteUsed: Math.max(minuteGranted, aheadOf(minuteUsed, limits.perMinute)),
    dayStart,
    dayUsed: Math.max(dayGranted, aheadOf(dayUsed, limits.perDay)),
  };
}

export function areSame(left: Counters, right: Counters): boolean {
  return (
    left.minuteStart === right.minuteStart &&
    left.minuteUsed === right.minuteUsed &&
    left.dayStart === right.dayStart &&
    left.dayUsed === right.dayUsed
  );
}

/** At most a twentieth of the minute, a tenth of that in an inherited one, and 1/400 of the day. */
function blockOf({ limits: { perMinute, perDay }, isInherited }: GrantRules): number {
  const block = Math.min(perMinute / (isInherited ? 200 : 20), perDay / 400);
  return Math.max(1, Math.floor(block));
}
