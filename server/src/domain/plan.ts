import { DAY_MS } from './durations.ts';

export interface Limits {
  perMinute: number;
  perDay: number;
}

/** Requests that an operator added for one UTC day. */
export interface DayGrant {
  perDay: number;
  /** Midnight UTC. */
  endsAt: number;
}

/** The limits of a plan, and what an operator added. */
export interface CurrentLimits extends Limits {
  grant?: DayGrant;
}

/** What a workspace has used. A window is open for its length from its start. After that, its count means nothing. */
export interface Counters {
  minuteStart: number;
  minuteUsed: number;
  dayStart: number;
  dayUsed: number;
}

export const planIds = ['free', 'pro', 'business', 'enterprise'] as const;
export type PlanId = (typeof planIds)[number];

export interface Plan {
  id: PlanId;
  name: string;
  /** How many streams and waiting polls a workspace may have at once, per node. */
  streams: number;
  /** Absent for Enterprise, whose limits are agreed individually. */
  limits?: Limits;
}

/** The specification's table, cheapest first. */
export const plans: readonly Plan[] = [
  { id: 'free', name: 'Free', streams: 2, limits: { perMinute: 60, perDay: 1_000 } },
  { id: 'pro', name: 'Pro', streams: 5, limits: { perMinute: 300, perDay: 10_000 } },
  { id: 'business', name: 'Business', streams: 20, limits: { perMinute: 1_000, perDay: 100_000 } },
  { id: 'enterprise', name: 'Enterprise', streams: 100 },
];

export const LIMIT_MAX = 1_000_000_000;

/** A workspace on Enterprise has its own limits, any other has those of its plan. */
export function limitsOf(plan: PlanId, custom: Limits | undefined): Limits {
  const limits = plans.find(({ id }) => id === plan)?.limits ?? custom;
  if (!limits) throw new Error(`plan ${plan} has no limits`);
  return limits;
}

export function isInForce({ endsAt }: DayGrant, now: number): boolean {
  return now < endsAt && now >= endsAt - DAY_MS;
}

/** The requests per day that apply now. */
export function perDayAt({ perDay, grant }: CurrentLimits, now: number): number {
  return grant && isInForce(grant, now) ? perDay + grant.perDay : perDay;
}

/** How many streams and waiting polls a workspace on this plan may have at once, per node. */
export function streamsOf(plan: PlanId = 'free'): number {
  return plans.find(({ id }) => id === plan)!.streams;
}
