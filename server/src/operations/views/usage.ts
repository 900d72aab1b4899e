import type { Advice } from '../../domain/advice.ts';
import type { PlanId } from '../../domain/plan.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { ActiveBan, Verdict } from '../../limits/limiter.ts';
import type { UsageReport } from '../../services/usage-report.ts';

const DAY_MS = 86_400_000;

interface UsageParts {
  windows: Verdict['windows'];
  bans: readonly ActiveBan[];
  report: UsageReport;
}

export function usageView({ windows, bans, report }: UsageParts) {
  return {
    windows: windows.map(({ resetAt, ...window }) => {
      return { ...window, resetAt: formatInstant(resetAt) };
    }),
    bans: bans.map(({ keyId, until, strikes }) => {
      return { keyId, until: formatInstant(until), strikes };
    }),
    history: report.days.map(({ day, keyId, operationId, admitted, refused, failed }) => {
      const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
      return { date, keyId, operationId, admitted, refused, failed };
    }),
    deprecated: report.deprecated.map(({ lastCalledAt, ...use }) => {
      return { ...use, lastCalledAt: formatInstant(lastCalledAt) };
    }),
  };
}

interface AdviceParts {
  advice: Advice;
  /** The plan that the workspace has. */
  plan: PlanId;
  from: number;
  to: number;
}

export function adviceView({ advice: { replays, ...advice }, plan, from, to }: AdviceParts) {
  return {
    from: formatInstant(from),
    to: formatInstant(to),
    plan,
    ...advice,
    plans: replays.map(({ plan, refusedByMinute, refusedByDay }) => {
      return { plan, refused: refusedByMinute + refusedByDay, refusedByMinute, refusedByDay };
    }),
  };
}
