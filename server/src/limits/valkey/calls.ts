// What is handed to the admit script and what it answers.

import type { Caller } from '../../domain/key.ts';
import type { Ban, BanPolicy } from '../ban.ts';
import type { Counters } from '../window.ts';
import type { Decision } from './known-workspaces.ts';
import { outcomes } from './scripts.ts';

/** A ban that a store has to begin with. */
export type Seed = Ban & { keyId: string };

export interface AdmitCall {
  /** Undefined: now, by the clock of the store. */
  at: number | undefined;
  caller: Caller;
  /** Of each request; they are decided one after the other. */
  costs: readonly number[];
  policy: BanPolicy;
  /** The windows and the ban as this node knows them, when the store may not. */
  windows: Counters | undefined;
  ban: Ban | undefined;
  seeds: readonly Seed[] | undefined;
}

export interface Reply {
  at: number;
  /** What is known of the key after the last of the decisions. */
  ban: Ban;
  /** None of a store that knows nothing of the workspace. */
  decisions?: readonly Decision[];
}

const HEAD_LENGTH = 5;
const DECISION_LENGTH = 7;
const NO_WINDOWS = ['', '', '', ''];

export function admitArguments(call: AdmitCall): string[] {
  const { at, caller, costs, policy, windows, ban, seeds } = call;
  return [
    at === undefined ? '' : String(at),
    caller.keyId,
    costs.join(' '),
    String(caller.limits.perMinute),
    String(caller.limits.perDay),
    String(policy.refusalsToBan),
    policy.ladderMs.join(' '),
    ...(windows ? windowTexts(windows) : NO_WINDOWS),
    ban ? banText(ban) : '',
    ...(seeds ? ['1', ...seeds.flatMap((seed) => [seed.keyId, banText(seed)])] : []),
  ];
}

export function replyOf(reply: readonly number[]): Reply {
  const [at = 0, since = 0, until = 0, strikes = 0, lastRefusalAt = 0] = reply;
  const decisions: Decision[] = [];
  for (let from = HEAD_LENGTH; from < reply.length; from += DECISION_LENGTH) {
    decisions.push(decisionAt(reply, from));
  }
  const ban = { since, until, strikes, lastRefusalAt };
  return decisions.length === 0 ? { at, ban } : { at, ban, decisions };
}

function decisionAt(reply: readonly number[], from: number): Decision {
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

/** The workspace and the refusals of a key, both in one slot of a cluster. */
export function keysOf(workspaceId: number, keyId: string): string[] {
  return [`petstore:{w:${workspaceId}}`, `petstore:{w:${workspaceId}}:${keyId}`];
}

function windowTexts({ minuteStart, minuteUsed, dayStart, dayUsed }: Counters): string[] {
  return [String(minuteStart), String(minuteUsed), String(dayStart), String(dayUsed)];
}

function banText({ since, until, strikes, lastRefusalAt }: Ban): string {
  return `${since} ${until} ${strikes} ${lastRefusalAt}`;
}
