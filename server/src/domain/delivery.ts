// What becomes of a webhook when a delivery succeeds or fails: when it is tried again, when it counts as failing, when
// it is disabled, and when an event is suspected of being the cause. Pure: the instant and the random number are
// passed in.

import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts';

export const deliveryOutcomes = [
  'delivered',
  'status',
  'timeout',
  'connection',
  'tls',
  'address_refused',
] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

export const webhookStates = ['unverified', 'enabled', 'failing', 'disabled'] as const;
export type WebhookState = (typeof webhookStates)[number];

export const stateReasons = ['unverified', 'failed', 'gone', 'parked_full', 'by_owner'] as const;
export type StateReason = (typeof stateReasons)[number];

/** How a webhook is doing. */
export interface WebhookHealth {
  state: WebhookState;
  stateReason?: StateReason;
  /** Failed attempts since the last success. */
  failures: number;
  /** How many of them say that the receiver rejects the first undelivered event. */
  rejections: number;
  /** The first failure since the last success. */
  failingSince?: number;
}

/** One request to a receiver, as it is kept for the owner to see. */
export interface AttemptRecord {
  id: number;
  /** The events it carried; absent for a ping. */
  firstSequence?: number;
  lastSequence?: number;
  /** A ping of the verification, not of the owner. */
  isVerification: boolean;
  /** Which try it was. */
  attempt: number;
  at: number;
  durationMs: number;
  outcome: DeliveryOutcome;
  status?: number;
  /** The beginning of the response to a failed attempt. */
  excerpt?: string;
}

/** An event that the receiver rejected while it accepted later ones. */
export interface ParkedRecord {
  sequence: number;
  attempts: number;
  status?: number;
  parkedAt: number;
}

export interface Failure {
  outcome: Exclude<DeliveryOutcome, 'delivered'>;
  status?: number;
  retryAfterMs?: number;
}

/** The health after a judgement, and the event about a change of state. */
export interface Judgement {
  health: WebhookHealth;
  event?: 'webhook.failing' | 'webhook.disabled';
}

const RETRIES_MS = [
  5_000,
  30_000,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  12 * HOUR_MS,
] as const;
const JITTER = 0.2;
/** No retry is further away than this. */
export const RETRY_MAX_MS = Math.ceil(RETRIES_MS.at(-1)! * (1 + JITTER));
const REJECTIONS_TO_SUSPECT = 4;
/** Statuses that report trouble of the receiver, not a fault of the event. */
const TROUBLE = new Set([429, 502, 503, 504]);
/** How long a series of failures may last in each state. */
const FAILING_MAX_MS: Record<WebhookState, number> = {
  unverified: DAY_MS,
  enabled: HOUR_MS,
  failing: 5 * DAY_MS,
  disabled: Number.POSITIVE_INFINITY,
};

export function afterSuccess({ state }: WebhookHealth): WebhookHealth {
  return { state: state === 'failing' ? 'enabled' : state, failures: 0, rejections: 0 };
}

export function afterFailure(before: WebhookHealth, failure: Failure, now: number): Judgement {
  const isRejection = failure.outcome === 'status' && !TROUBLE.has(failure.status ?? 0);
  const health = {
    ...before,
    failures: before.failures + 1,
    rejections: before.rejections + (isRejection ? 1 : 0),
    failingSince: before.failingSince ?? now,
  };
  return failure.status === 410 ? disable(health, 'gone') : judge(health, now);
}

/** Takes a webhook one state further when its series of failures has lasted too long. */
export function judge(health: WebhookHealth, now: number): Judgement {
  const at = judgedAt(health);
  if (at === undefined || now < at) return { health };
  if (health.state === 'unverified') return disable(health, 'unverified');
  if (health.state === 'failing') return disable(health, 'failed');
  return { health: { ...health, state: 'failing' }, event: 'webhook.failing' };
}

/** When the present series of failures changes the state, unless a success ends it. */
export function judgedAt({ state, failingSince }: WebhookHealth): number | undefined {
  if (failingSince === undefined || state === 'disabled') return undefined;
  return failingSince + FAILING_MAX_MS[state];
}

export function disable(health: WebhookHealth, stateReason: StateReason): Judgement {
  return { health: { ...health, state: 'disabled', stateReason }, event: 'webhook.disabled' };
}

/** How long the receiver asks to be left alone. A Retry-After is honoured with 429 and 503. */
export function requestedWaitMs({ status, retryAfterMs }: Failure): number | undefined {
  return status === 429 || status === 503 ? retryAfterMs : undefined;
}

/** `random` is from 0 up to 1. */
export function retryInMs(failures: number, failure: Failure, random: number): number {
  const requestedMs = requestedWaitMs(failure);
  if (requestedMs !== undefined) return requestedMs;
  const usual = RETRIES_MS[Math.min(failures, RETRIES_MS.length) - 1]!;
  return Math.round(usual * (1 - JITTER + 2 * JITTER * random));
}

/** Whether the receiver may be rejecting the first undelivered event. The worker sends the next event to find out. */
export function isPoisonSuspected({ rejections }: WebhookHealth): boolean {
  return rejections >= REJECTIONS_TO_SUSPECT;
}
