// The ban policy: refusals of one key within a minute lead to a ban, repeated bans climb a ladder,
// a day without a refusal starts the ladder anew. Requests during a ban count as nothing.

import { DAY_MS, MINUTE_MS } from './window.ts';

export interface BanPolicy {
  /** So many refusals within 60 s ban the key. */
  refusalsToBan: number;
  ladderMs: readonly number[];
}

export interface Ban {
  since: number;
  until: number;
  /** Bans so far, this one included. */
  strikes: number;
  lastRefusalAt: number;
}

/** What is remembered of a key that was refused. */
export interface Offender extends Ban {
  /** Instants of its latest refusals, oldest first; those before `firstRefusal` are out of date. */
  refusals: number[];
  firstRefusal: number;
  /** As the database has it. */
  saved: Ban;
  /** When the database was last asked whether the ban still stands. */
  recheckedAt: number;
}

const neverBanned: Ban = { since: 0, until: 0, strikes: 0, lastRefusalAt: 0 };

export function newOffender(saved: Ban = neverBanned): Offender {
  return { ...banOf(saved), refusals: [], firstRefusal: 0, saved: banOf(saved), recheckedAt: 0 };
}

export function banOf({ since, until, strikes, lastRefusalAt }: Ban): Ban {
  return { since, until, strikes, lastRefusalAt };
}

/**
 * Whether the ban is in force. A clock that was set back does not lengthen it: it keeps its length,
 * counted from now, and once it was seen to be over it stays over.
 */
export function isBanned(ban: Ban, now: number): boolean {
  if (ban.until === 0) return false;
  pullBanBack(ban, now);
  if (now < ban.until) return true;
  ban.until = 0;
  return false;
}

export function pullBanBack(ban: { since: number; until: number }, now: number): void {
  if (ban.since <= now) return;
  ban.until -= ban.since - now;
  ban.since = now;
}

/**
 * Counts a refusal. Returns how many more lead to a ban; at 0 this one did, and the key is banned.
 */
export function recordRefusal(offender: Offender, now: number, policy: BanPolicy): number {
  if (now - offender.lastRefusalAt >= DAY_MS) offender.strikes = 0;
  offender.lastRefusalAt = now;
  const left = policy.refusalsToBan - countRefusal(offender, now);
  if (left > 0) return left;
  const step = Math.min(offender.strikes, policy.ladderMs.length - 1);
  offender.strikes += 1;
  offender.since = now;
  offender.until = now + policy.ladderMs[step]!;
  offender.recheckedAt = now;
  forgetRefusals(offender);
  return 0;
}

export function liftBan(offender: Offender): void {
  offender.until = 0;
  forgetRefusals(offender);
}

/** The database should know more: it keeps every key that was ever banned, and no other. */
export function isUnsaved(offender: Offender): boolean {
  const { saved } = offender;
  if (offender.strikes === 0 && saved.strikes === 0) return false;
  return (
    offender.since !== saved.since ||
    offender.until !== saved.until ||
    offender.strikes !== saved.strikes ||
    offender.lastRefusalAt !== saved.lastRefusalAt
  );
}

export function hasRecentRefusal(offender: Offender, now: number): boolean {
  return now - offender.lastRefusalAt < MINUTE_MS;
}

/**
 * Adds a refusal to those of the last 60 s and returns their number; each is looked at only once.
 */
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

export function forgetRefusals(offender: Offender): void {
  offender.refusals = [];
  offender.firstRefusal = 0;
}
