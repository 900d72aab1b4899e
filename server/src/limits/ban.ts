// The ban policy. Refusals of one key within a minute lead to a ban; each further ban lasts longer. The
// ladder starts anew after a day without a refusal, counted from the end of the last ban. Requests
// during a ban count as nothing.

import type { Ban } from '../domain/ban.ts';
import { DAY_MS, MINUTE_MS } from '../domain/durations.ts';

export interface BanPolicy {
  /** The number of refusals within 60 s that bans a key. */
  refusalsToBan: number;
  /** How long the first ban lasts, the second, and so on; the last repeats. */
  ladderMs: readonly number[];
}

/** A key that was refused. */
export interface Offender extends Ban {
  /** Instants of refusals, oldest first; those before `firstRefusal` are out of date. */
  refusals: number[];
  firstRefusal: number;
  /** The ban as the database has it. */
  saved: Ban;
  /** When the database was last asked whether the ban was lifted. */
  recheckedAt: number;
}

const neverBanned: Ban = { since: 0, until: 0, strikes: 0, quietSince: 0 };

export function newOffender(saved: Ban = neverBanned): Offender {
  return { ...banOf(saved), refusals: [], firstRefusal: 0, saved: banOf(saved), recheckedAt: 0 };
}

export function banOf({ since, until, strikes, quietSince }: Ban): Ban {
  return { since, until, strikes, quietSince };
}

/** Shortens the ban if the clock was set back, and ends it if its time has come. A ban that is over stays over. */
export function updateBanEnd(ban: Ban, now: number, policy: BanPolicy): void {
  const end = banEnd(ban, now, policy);
  ban.until = now < end ? end : 0;
}

/** A clock that is set back does not lengthen a ban: it ends within its length from now. */
export function banEnd(
  { until, strikes }: Pick<Ban, 'until' | 'strikes'>,
  now: number,
  policy: BanPolicy,
): number {
  return Math.min(until, now + lengthOfBan(strikes, policy));
}

/** Counts a refusal. Returns how many more lead to a ban; 0 when this one did. */
export function recordRefusal(offender: Offender, now: number, policy: BanPolicy): number {
  if (now - offender.quietSince >= DAY_MS) offender.strikes = 0;
  offender.quietSince = now;
  const left = policy.refusalsToBan - countRefusal(offender, now);
  if (left > 0) return left;
  offender.strikes += 1;
  offender.since = now;
  offender.until = now + lengthOfBan(offender.strikes, policy);
  offender.quietSince = offender.until;
  offender.recheckedAt = now;
  forgetRefusals(offender);
  return 0;
}

export function liftBan(offender: Offender): void {
  offender.until = 0;
  forgetRefusals(offender);
}

/** True when the database lacks something. It keeps the keys whose strikes count, and no key that was never banned. */
export function isUnsaved(offender: Offender): boolean {
  const { saved } = offender;
  if (offender.strikes === 0 && saved.strikes === 0) return false;
  return (
    offender.since !== saved.since ||
    offender.until !== saved.until ||
    offender.strikes !== saved.strikes ||
    offender.quietSince !== saved.quietSince
  );
}

/** True also during a ban. */
export function hasRecentRefusal(offender: Offender, now: number): boolean {
  return now - offender.quietSince < MINUTE_MS;
}

export function forgetRefusals(offender: Offender): void {
  offender.refusals = [];
  offender.firstRefusal = 0;
}

function lengthOfBan(strikes: number, { ladderMs }: BanPolicy): number {
  return ladderMs[Math.min(Math.max(strikes, 1), ladderMs.length) - 1]!;
}

/** Adds a refusal to those of the last 60 s and returns their number. */
function countRefusal(offender: Offender, now: number): number {
  const { refusals } = offender;
  while (refusals.length > offender.firstRefusal && refusals.at(-1)! > now) refusals.pop();
  refusals.push(now);
  while (now - refusals[offender.firstRefusal]! >= MINUTE_MS) offender.firstRefusal += 1;
  if (offender.firstRefusal > 64 && offender.firstRefusal * 2 > refusals.length) {
    refusals.splice(0, offender.firstRefusal);
    offender.firstRefusal = 0;
  }
  return refusals.length - offender.firstRefusal;
}
