import { MINUTES_A_DAY } from './durations.ts';
import { type Limits, type PlanId, plans } from './plan.ts';

interface PlanReplay {
  plan: PlanId;
  refusedByMinute: number;
  refusedByDay: number;
}

export interface Advice {
  requests: number;
  busiestMinute: number;
  replays: PlanReplay[];
  /** The cheapest plan that would have refused nothing. */
  recommended: PlanId;
}

/** Replays the requests, minute by minute, against every plan with fixed limits. */
export function advise(minutes: readonly { minute: number; requests: number }[]): Advice {
  const replays = plans.flatMap(({ id, limits }) => (limits ? [replay(id, limits, minutes)] : []));
  const fitting = replays.find((result) => result.refusedByMinute + result.refusedByDay === 0);
  return {
    requests: minutes.reduce((sum, { requests }) => sum + requests, 0),
    busiestMinute: minutes.reduce((most, { requests }) => Math.max(most, requests), 0),
    replays,
    recommended: fitting?.plan ?? 'enterprise',
  };
}

function replay(
  plan: PlanId,
  limits: Limits,
  minutes: readonly { minute: number; requests: number }[],
): PlanReplay {
  let day = -1;
  let usedToday = 0;
  const result = { plan, refusedByMinute: 0, refusedByDay: 0 };
  for (const { minute, requests } of minutes) {
    const today = Math.floor(minute / MINUTES_A_DAY);
    if (today !== day) usedToday = 0;
    day = today;
    const admitted = Math.min(requests, limits.perMinute, limits.perDay - usedToday);
    usedToday += admitted;
    // When the day is used up, the day refuses, whatever is left of the minute.
    const refusing = usedToday === limits.perDay ? 'refusedByDay' : 'refusedByMinute';
    result[refusing] += requests - admitted;
  }
  return result;
}
