// What a node knows of one workspace, and the decisions that follow from it alone. Keeping it, in a
// database or in a shared store, is the business of the adapters.

import type { Caller } from '../domain/key.ts';
import type { Limits } from '../domain/plan.ts';
import {
  type Ban,
  type BanPolicy,
  forgetRefusals,
  hasRecentRefusal,
  isBanned,
  isUnsaved,
  newOffender,
  type Offender,
  recordRefusal,
} from './ban.ts';
import type { Verdict } from './limiter.ts';
import {
  admittedAgainAt,
  type Counters,
  exhaustedWindow,
  isMinuteOver,
  openWindows,
  pullBack,
  viewsOf,
} from './window.ts';

export interface WorkspaceLimits {
  counters: Counters;
  offenders: Map<string, Offender>;
}

export function offendersOf(bans: readonly (Ban & { keyId: string })[]): Map<string, Offender> {
  return new Map(bans.map((ban) => [ban.keyId, newOffender(ban)]));
}

/**
 * The answer to a banned key; undefined for any other. A request that never costs quota costs 0.
 */
export function refuseBanned(
  { counters, offenders }: WorkspaceLimits,
  { keyId, limits }: Caller,
  cost: number,
  now: number,
): Verdict | undefined {
  pullBack(counters, now);
  const offender = offenders.get(keyId);
  if (!offender || !isBanned(offender, now)) return undefined;
  return bannedVerdict(counters, limits, cost, now, offender.until);
}

/** The answer when a window is spent, counted against the key; undefined when the request fits. */
export function refuseExhausted(
  workspace: WorkspaceLimits,
  { keyId, limits }: Caller,
  cost: number,
  now: number,
  policy: BanPolicy,
): Verdict | undefined {
  const { counters } = workspace;
  const by = exhaustedWindow(counters, limits, cost, now);
  if (!by) return undefined;
  const offender = offenderOf(workspace, keyId);
  const refusalsBeforeBan = recordRefusal(offender, now, policy);
  return refusedVerdict(counters, limits, cost, now, { by, refusalsBeforeBan }, offender.until);
}

export function countRequest(
  { counters }: WorkspaceLimits,
  { limits }: Caller,
  cost: number,
  now: number,
): Verdict {
  openWindows(counters, now);
  counters.minuteUsed += cost;
  counters.dayUsed += cost;
  return { at: now, windows: viewsOf(counters, limits, now) };
}

export function offenderOf({ offenders }: WorkspaceLimits, keyId: string): Offender {
  let offender = offenders.get(keyId);
  if (!offender) {
    offender = newOffender();
    offenders.set(keyId, offender);
  }
  return offender;
}

/** Forgets refusals that are out of date, and the keys of which nothing else is known. */
export function forgetRefused({ offenders }: WorkspaceLimits, now: number): void {
  for (const [keyId, offender] of offenders) {
    if (hasRecentRefusal(offender, now)) continue;
    forgetRefusals(offender);
    if (offender.strikes === 0 && !isUnsaved(offender)) offenders.delete(keyId);
  }
}

/** Nothing was counted or refused for a minute, so what the database has of it says it all. */
export function isQuiet({ counters, offenders }: WorkspaceLimits, now: number): boolean {
  if (!isMinuteOver(counters, now)) return false;
  return ![...offenders.values()].some((offender) => hasRecentRefusal(offender, now));
}

export function bannedVerdict(
  counters: Counters,
  limits: Limits,
  cost: number,
  now: number,
  until: number,
): Verdict {
  const retryAt = cost === 0 ? until : admittedAgainAt(counters, limits, cost, until);
  const refusal = { by: 'ban' as const, retryAt, until, refusalsBeforeBan: 0 };
  return { at: now, windows: viewsOf(counters, limits, now), refusal };
}

/** `bannedUntil` counts when this very refusal has led to a ban. */
export function refusedVerdict(
  counters: Counters,
  limits: Limits,
  cost: number,
  now: number,
  refused: { by: 'minute' | 'day'; refusalsBeforeBan: number },
  bannedUntil: number,
): Verdict {
  const windows = viewsOf(counters, limits, now);
  const until = windows[refused.by === 'minute' ? 0 : 1].resetAt;
  const retryAt = admittedAgainAt(counters, limits, cost, Math.max(now, bannedUntil));
  return { at: now, windows, refusal: { ...refused, retryAt, until } };
}

/** True for the refusal that led to a ban, which is still told as what it was. */
export function hasBanned({ refusal }: Verdict): boolean {
  return refusal !== undefined && refusal.by !== 'ban' && refusal.refusalsBeforeBan === 0;
}
