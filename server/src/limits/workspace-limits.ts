// The decisions about one workspace, by its counters and the refusals of its keys. The adapters keep
// both, in memory or in a shared store.

import type { StoredBan } from '../domain/ban.ts';
import type { Caller } from '../domain/key.ts';
import type { Counters } from '../domain/plan.ts';
import {
  type BanPolicy,
  forgetRefusals,
  hasRecentRefusal,
  isUnsaved,
  newOffender,
  type Offender,
  recordRefusal,
  updateBanEnd,
} from './ban.ts';
import type { LimitRefusal, Verdict } from './limiter.ts';
import {
  admittedAgainAt,
  exhaustedWindow,
  isMinuteOver,
  openWindows,
  pullBack,
  viewsOf,
} from './window.ts';

export interface WorkspaceLimits {
  counters: Counters;
  /** By key id. */
  offenders: Map<string, Offender>;
}

export interface LimitRequest {
  caller: Caller;
  /** 0 for a request that costs no quota. */
  cost: number;
  now: number;
}

export function offendersOf(bans: readonly StoredBan[]): Map<string, Offender> {
  return new Map(bans.map((ban) => [ban.keyId, newOffender(ban)]));
}

/** Returns the refusal of a banned key; undefined for any other. */
export function refuseBanned(
  { counters, offenders }: WorkspaceLimits,
  request: LimitRequest,
  policy: BanPolicy,
): Verdict | undefined {
  pullBack(counters, request.now);
  const offender = offenders.get(request.caller.keyId);
  if (!offender) return undefined;
  updateBanEnd(offender, request.now, policy);
  if (offender.until === 0) return undefined;
  return bannedVerdict(counters, request, offender.until);
}

/** Counts a refusal when a window is exhausted; undefined when the request fits. */
export function refuseExhausted(
  workspace: WorkspaceLimits,
  request: LimitRequest,
  policy: BanPolicy,
): Verdict | undefined {
  const { counters } = workspace;
  const { caller, cost, now } = request;
  const by = exhaustedWindow(counters, { limits: caller.limits, cost }, now);
  if (!by) return undefined;
  const offender = offenderOf(workspace, caller.keyId);
  const refusalsBeforeBan = recordRefusal(offender, now, policy);
  const bannedUntil = offender.until;
  return refusedVerdict(counters, request, { by, refusalsBeforeBan, bannedUntil });
}

export function countRequest(
  { counters }: WorkspaceLimits,
  { caller, cost, now }: LimitRequest,
): Verdict {
  openWindows(counters, now);
  counters.minuteUsed += cost;
  counters.dayUsed += cost;
  return { at: now, windows: viewsOf(counters, caller.limits, now) };
}

export function offenderOf({ offenders }: WorkspaceLimits, keyId: string): Offender {
  let offender = offenders.get(keyId);
  if (!offender) {
    offender = newOffender();
    offenders.set(keyId, offender);
  }
  return offender;
}

/** Drops the refusals of keys that had none for a minute, and the key too if it has no strikes and nothing to save. */
export function forgetOldRefusals({ offenders }: WorkspaceLimits, now: number): void {
  for (const [keyId, offender] of offenders) {
    if (hasRecentRefusal(offender, now)) continue;
    forgetRefusals(offender);
    if (offender.strikes === 0 && !isUnsaved(offender)) offenders.delete(keyId);
  }
}

/** True when nothing was counted or refused for a minute. */
export function isQuiet({ counters, offenders }: WorkspaceLimits, now: number): boolean {
  if (!isMinuteOver(counters, now)) return false;
  return ![...offenders.values()].some((offender) => hasRecentRefusal(offender, now));
}

export function bannedVerdict(
  counters: Counters,
  { caller: { limits }, cost, now }: LimitRequest,
  until: number,
): Verdict {
  const retryAt = cost === 0 ? until : admittedAgainAt(counters, { limits, cost }, until);
  const refusal: LimitRefusal = { by: 'ban', retryAt, until, refusalsBeforeBan: 0 };
  return { at: now, windows: viewsOf(counters, limits, now), refusal };
}

/** `bannedUntil` matters only if this refusal has led to a ban. */
export function refusedVerdict(
  counters: Counters,
  { caller: { limits }, cost, now }: LimitRequest,
  refused: { by: 'minute' | 'day'; refusalsBeforeBan: number; bannedUntil: number },
): Verdict {
  const { by, refusalsBeforeBan, bannedUntil } = refused;
  const windows = viewsOf(counters, limits, now);
  const until = windows[by === 'minute' ? 0 : 1].resetAt;
  const retryAt = admittedAgainAt(counters, { limits, cost }, Math.max(now, bannedUntil));
  return { at: now, windows, refusal: { by, refusalsBeforeBan, retryAt, until } };
}

/** True for the refusal that led to a ban; it names the window that refused, not the ban. */
export function hasBanned({ refusal }: Verdict): boolean {
  return refusal !== undefined && refusal.by !== 'ban' && refusal.refusalsBeforeBan === 0;
}
