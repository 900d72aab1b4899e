// What is handed to the admit script and what it answers.

import type { Caller } from '../domain/key.ts';
import type { Ban, BanPolicy } from './ban.ts';
import { outcomes } from './valkey-scripts.ts';
import type { Counters } from './window.ts';

/** A ban that a store has to begin with. */
export type Seed = Ban & { keyId: string };

export interface AdmitCall {
  /** Undefined: now, by the clock of the store. */
  at: number | undefined;
  caller: Caller;
  cost: number;
  policy: BanPolicy;
  /** The windows and the ban as this node knows them, when the store may not. */
  windows: Counters | undefined;
  ban: Ban | undefined;
  seeds: readonly Seed[] | undefined;
}

export interface Reply {
  outcome: (typeof outcomes)[number];
  at: number;
  counters: Counters;
  refusalsBeforeBan: number;
  ban: Ban;
}

const NO_WINDOWS = ['', '', '', ''];

export function admitArguments(call: AdmitCall): string[] {
  const { at, caller, cost, policy, windows, ban, seeds } = call;
  return [
    at === undefined ? '' : String(at),
    caller.keyId,
    String(cost),
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
  const [outcome = 0, at = 0, minuteStart = 0, minuteUsed = 0, dayStart = 0, dayUsed = 0] = reply;
  const [left = 0, since = 0, until = 0, strikes = 0, lastRefusalAt = 0] = reply.slice(6);
  return {
    outcome: outcomes[outcome]!,
    at,
    counters: { minuteStart, minuteUsed, dayStart, dayUsed },
    refusalsBeforeBan: left,
    ban: { since, until, strikes, lastRefusalAt },
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
