import type { UsageMinute } from '../../datastore/usage.ts';
import type { Advice } from '../../domain/advice.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/durations.ts';
import type { PlanId } from '../../domain/plan.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { ActiveBan, Verdict } from '../../limits/limiter.ts';
import type { UsageReport } from '../../services/usage-report.ts';

interface UsageParts {
  windows: Verdict['windows'];
  bans: readonly ActiveBan[];
  report: UsageReport;
}

export function usageView({ windows, bans, report }: UsageParts) {
  return {
    windows: windows.map(({ name, limit, remaining, resetAt }) => {
      return { name, limit, remaining, resetAt: formatInstant(resetAt) };
    }),
    bans: bans.map(({ keyId, until, strikes }) => {
      return { keyId, until: formatInstant(until), strikes };
    }),
    history: report.days.map(({ day, keyId, operationId, admitted, refused, failed }) => {
      return { date: dateOf(day), keyId, operationId, admitted, refused, failed };
    }),
    historyCutAt: report.cutAt === undefined ? undefined : dateOf(report.cutAt),
    deprecated: report.deprecated.map((use) => {
      const { operationId, keyId, calls, lastCalledAt, sunset, successor } = use;
      const last = formatInstant(lastCalledAt);
      return { operationId, keyId, calls, lastCalledAt: last, sunset, successor };
    }),
  };
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Every minute from the first to the last, also those without a request. */
export function minutesView(
  usage: readonly UsageMinute[],
  { first, last }: { first: number; last: number },
) {
  const known = new Map(usage.map((each) => [each.minute, each]));
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const minute = first + index;
    const { requests = 0, refused = 0 } = known.get(minute) ?? {};
    return { minute: formatInstant(minute * MINUTE_MS), admitted: requests - refused, refused };
  });
}

interface AdviceParts {
  advice: Advice;
  /** The plan that the workspace has. */
  plan: PlanId;
  from: number;
  to: number;
}

export function adviceView({ advice, plan, from, to }: AdviceParts) {
  const { requests, busiestMinute, replays, recommended } = advice;
  return {
    from: formatInstant(from),
    to: formatInstant(to),
    plan,
    requests,
    busiestMinute,
    plans: replays.map(({ plan, refusedByMinute, refusedByDay }) => {
      return { plan, refused: refusedByMinute + refusedByDay, refusedByMinute, refusedByDay };
    }),
    recommended,
  };
}
