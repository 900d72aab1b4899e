// What a node knows of the workspaces whose limits are kept in a shared store. It counts by itself
// what it has answered and what it has asked but not heard of: whatever the store has counted, lost
// or counted without being heard, a node that decides alone never takes itself beyond a limit.

import type { Limits } from '../../domain/plan.ts';
import { type Ban, banOf } from '../ban.ts';
import {
  type Counters,
  isDayOver,
  isMinuteOver,
  openWindows,
  unopenedCounters,
} from '../window.ts';
import { offenderOf, type WorkspaceLimits } from '../workspace-limits.ts';

const KNOWN_MAX = 50_000;

export interface KnownWorkspace extends WorkspaceLimits {
  /** The bans are known, from the store or from the database. */
  isRead: boolean;
  /** What this node has admitted in the windows of the counters. */
  minuteAdmitted: number;
  dayAdmitted: number;
  /** What of that it has admitted by itself. */
  minuteAlone: number;
  dayAlone: number;
  /** What it has asked the store for, without an answer so far. */
  asked: number;
  /** Calls to the store under way, also those that ask for nothing. */
  calls: number;
  /** How often it came to know more than the store, and how much of that the store was told. */
  news: number;
  newsTold: number;
  /** Keys that it has banned by itself. */
  untoldBans: Set<string>;
}

/** What was decided of one request, and the windows after it. */
export interface Decision {
  /** `behind`: the store let it pass and cannot know all that this node did while it was away. */
  outcome: 'admitted' | 'minute' | 'day' | 'ban' | 'behind';
  refusalsBeforeBan: number;
  bannedUntil: number;
  counters: Counters;
}

interface Answer {
  at: number;
  counters: Counters;
  ban: Ban;
}

export class KnownWorkspaces {
  readonly #workspaces = new Map<number, KnownWorkspace>();

  get(workspaceId: number): KnownWorkspace {
    const known = this.#workspaces.get(workspaceId);
    if (known) return known;
    const workspace: KnownWorkspace = {
      counters: unopenedCounters(),
      offenders: new Map(),
      isRead: false,
      minuteAdmitted: 0,
      dayAdmitted: 0,
      minuteAlone: 0,
      dayAlone: 0,
      asked: 0,
      calls: 0,
      news: 0,
      newsTold: 0,
      untoldBans: new Set(),
    };
    this.#workspaces.set(workspaceId, workspace);
    return workspace;
  }

  *untoldBans(): Iterable<{ workspaceId: number; keyId: string }> {
    for (const [workspaceId, { untoldBans }] of this.#workspaces) {
      for (const keyId of untoldBans) yield { workspaceId, keyId };
    }
  }

  /** Forgets workspaces whose day is over, and quiet ones when there are too many. */
  sweep(now: number): void {
    for (const [workspaceId, { counters, calls }] of this.#workspaces) {
      const isCrowded = this.#workspaces.size > KNOWN_MAX;
      const isDone = isDayOver(counters, now) || (isCrowded && isMinuteOver(counters, now));
      if (isDone && calls === 0) this.#workspaces.delete(workspaceId);
    }
  }
}

/**
 * Takes over what the store has answered. Within one window the store is behind when it has lost
 * data, or when this node has counted by itself since it asked.
 */
export function learn(workspace: KnownWorkspace, keyId: string, answer: Answer): void {
  const { counters, ban, at } = answer;
  forgetAdmitted(workspace, at);
  const known = workspace.counters;
  const learnt = { ...counters };
  const isSameMinute = known.minuteStart === counters.minuteStart;
  // Another window is a new one, unless this node has opened its own while the store was away.
  if (!isSameMinute && workspace.minuteAlone === 0) workspace.minuteAdmitted = 0;
  if (known.dayStart !== counters.dayStart && workspace.dayAlone === 0) workspace.dayAdmitted = 0;
  const hasNews = workspace.news > workspace.newsTold;
  if ((isSameMinute || hasNews) && !isMinuteOver(known, at)) {
    learnt.minuteUsed = Math.max(known.minuteUsed, counters.minuteUsed);
    if (!isDayOver(known, at)) learnt.dayUsed = Math.max(known.dayUsed, counters.dayUsed);
    if (known.minuteUsed > counters.minuteUsed) workspace.news += 1;
  }
  workspace.counters = learnt;
  workspace.isRead = true;
  if (ban.strikes > 0 || workspace.offenders.has(keyId)) {
    Object.assign(offenderOf(workspace, keyId), ban, { saved: banOf(ban) });
  }
}

/** Counts what the store has let pass, and marks what would take this node, which was alone, beyond a limit. */
export function noteDecisions(
  workspace: KnownWorkspace,
  limits: Limits,
  costs: readonly number[],
  decisions: readonly Decision[],
): void {
  for (const [index, decision] of decisions.entries()) {
    if (decision.outcome !== 'admitted') continue;
    if (mayAdmit(workspace, limits, costs[index]!)) noteAdmitted(workspace, costs[index]!);
    else decision.outcome = 'behind';
  }
}

function mayAdmit(workspace: KnownWorkspace, limits: Limits, cost: number): boolean {
  const { minuteAdmitted, dayAdmitted, minuteAlone, dayAlone } = workspace;
  if (cost === 0) return true;
  if (minuteAlone > 0 && minuteAdmitted + cost > limits.perMinute) return false;
  return dayAlone === 0 || dayAdmitted + cost <= limits.perDay;
}

function noteAdmitted(workspace: KnownWorkspace, cost: number): void {
  workspace.minuteAdmitted += cost;
  workspace.dayAdmitted += cost;
}

/** Counts an answer of this node alone that lets a request pass. */
export function noteAdmittedAlone(workspace: KnownWorkspace, cost: number): void {
  noteAdmitted(workspace, cost);
  workspace.minuteAlone += cost;
  workspace.dayAlone += cost;
  workspace.news += 1;
}

/**
 * The windows with the least that was used in them, as far as this node can tell; `asked` is what
 * it has asked for and the store has counted or will count.
 */
export function ownCounters(workspace: KnownWorkspace, asked: number, now: number): Counters {
  forgetAdmitted(workspace, now);
  const { counters, minuteAdmitted, dayAdmitted } = workspace;
  const own = { ...counters };
  if (asked > 0) openWindows(own, now);
  own.minuteUsed = Math.max(own.minuteUsed, minuteAdmitted + asked);
  own.dayUsed = Math.max(own.dayUsed, dayAdmitted + asked);
  return own;
}

function forgetAdmitted(workspace: KnownWorkspace, now: number): void {
  if (isMinuteOver(workspace.counters, now)) {
    workspace.minuteAdmitted = 0;
    workspace.minuteAlone = 0;
  }
  if (isDayOver(workspace.counters, now)) {
    workspace.dayAdmitted = 0;
    workspace.dayAlone = 0;
  }
}
