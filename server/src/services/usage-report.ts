import type { Readers } from '../datastore/datastore.ts';
import type { UsageDay } from '../datastore/usage.ts';
import { formatInstant } from '../lib/instant.ts';
import { HISTORY_DAYS } from './usage.ts';

const DAY_MS = 86_400_000;

/** Operations on their way out: until when, and what replaces them. */
export type Deprecations = ReadonlyMap<string, { sunset: string; successor: string }>;

/** What a workspace did in the last 30 days. */
export async function usageReport(
  store: Readers,
  workspaceId: number,
  deprecations: Deprecations,
  now: number,
) {
  const today = Math.floor(now / DAY_MS);
  const days = await store.usage.days(workspaceId, today - HISTORY_DAYS + 1);
  const history = days.map(({ day, keyId, operationId, admitted, refused, failed }) => {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    return { date, keyId, operationId, admitted, refused, failed };
  });
  return { history, deprecated: deprecatedUse(days, deprecations) };
}

function deprecatedUse(days: readonly UsageDay[], deprecations: Deprecations) {
  const uses = new Map<string, { calls: number; lastAt: number; day: UsageDay }>();
  for (const day of days) {
    if (!deprecations.has(day.operationId) || day.admitted === 0) continue;
    const name = `${day.operationId} ${day.keyId}`;
    const use = uses.get(name) ?? { calls: 0, lastAt: 0, day };
    use.calls += day.admitted;
    use.lastAt = Math.max(use.lastAt, day.lastAt);
    uses.set(name, use);
  }
  return [...uses.values()].map(({ calls, lastAt, day: { operationId, keyId } }) => {
    const lifecycle = deprecations.get(operationId)!;
    return { operationId, keyId, calls, lastCalledAt: formatInstant(lastAt), ...lifecycle };
  });
}
