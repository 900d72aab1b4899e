// The arguments and the reply of the admit script.

import type { Ban } from '../../domain/ban.ts';
import type { Caller } from '../../domain/key.ts';
import type { Counters, CurrentLimits } from '../../domain/plan.ts';
import type { BanPolicy } from '../ban.ts';
import type { CountedIn } from '../window.ts';
import { outcomes } from './scripts.ts';

/** What a request costs, and where one of that was counted already. */
export interface Charge {
  cost: number;
  countedIn?: CountedIn | undefined;
}

interface AdmitCall {
  /** Undefined: now, by the store's clock. */
  at: number | undefined;
  caller: Caller;
  /** One for each request; they are decided one after the other. */
  charges: readonly Charge[];
  policy: BanPolicy;
  /** The ban of the key as this node knows it. */
  ban: Ban | undefined;
  /** The record that the store is expected to have, or what this node knows if it may have none. */
  known: { recordId: number } | Counters;
}

export interface AdmitReply {
  at: number;
  recordId: number;
  /** The ban of the key after the last decision. */
  ban: Ban;
  decisions: readonly Decision[];
}

export interface Decision {
  outcome: (typeof outcomes)[number];
  refusalsBeforeBan: number;
  bannedUntil: number;
  /** Both windows after this decision. */
  counters: Counters;
}

const HEAD_LENGTH = 6;
const DECISION_LENGTH = 7;

/** One key for all that a script touches: while a Cluster moves a slot, it refuses scripts of several keys. */
export function workspaceKey(workspaceId: number): string {
  return `petstore:{w:${workspaceId}}`;
}

export function admitArguments({ at, caller, charges, policy, ban, known }: AdmitCall): string[] {
  return [
    at === undefined ? '' : String(at),
    caller.keyId,
    charges.map(chargeArgument).join(' '),
    String(caller.limits.perMinute),
    dayArgument(caller.limits),
    String(policy.refusalsToBan),
    policy.ladderMs.join(' '),
    ban ? `${ban.since} ${ban.until} ${ban.strikes} ${ban.quietSince}` : '',
    ...('recordId' in known ? [String(known.recordId)] : ['', ...windowArguments(known)]),
  ];
}

/** Returns undefined when the store does not have the record that was expected. */
export function parseAdmitReply(reply: readonly number[]): AdmitReply | undefined {
  if (reply.length < HEAD_LENGTH) return undefined;
  const [at, recordId, since, until, strikes, quietSince] = reply as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const decisions: Decision[] = [];
  for (let from = HEAD_LENGTH; from < reply.length; from += DECISION_LENGTH) {
    decisions.push(parseDecision(reply, from));
  }
  return { at, recordId, ban: { since, until, strikes, quietSince }, decisions };
}

function parseDecision(reply: readonly number[], from: number): Decision {
  return {
    outcome: outcomes[reply[from]!]!,
    refusalsBeforeBan: reply[from + 1]!,
    bannedUntil: reply[from + 2]!,
    counters: {
      minuteStart: reply[from + 3]!,
      minuteUsed: reply[from + 4]!,
      dayStart: reply[from + 5]!,
      dayUsed: reply[from + 6]!,
    },
  };
}

/** The store decides by its own clock whether what was added still counts. */
function dayArgument({ perDay, grant }: CurrentLimits): string {
  return grant ? `${perDay}+${grant.perDay}@${grant.endsAt}` : String(perDay);
}

function chargeArgument({ cost, countedIn }: Charge): string {
  return countedIn ? `${cost}@${countedIn.minuteStart}@${countedIn.dayStart}` : String(cost);
}

function windowArguments({ minuteStart, minuteUsed, dayStart, dayUsed }: Counters): string[] {
  return [String(minuteStart), String(minuteUsed), String(dayStart), String(dayUsed)];
}
