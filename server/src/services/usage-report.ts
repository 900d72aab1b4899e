import type { Readers } from '../datastore/datastore.ts';
import { EXAMINED_MAX } from '../datastore/list.ts';
import type { UsageDay } from '../datastore/usage.ts';
import { DAY_MS } from '../domain/durations.ts';
import { HISTORY_DAYS } from './usage-recorder.ts';

/** The deprecated operations: until when they work, and what replaces them. */
export type Deprecations = ReadonlyMap<string, { sunset: string; successor: string }>;

/** The use that one key made of one deprecated operation. */
interface DeprecatedUse {
  operationId: string;
  keyId: string;
  calls: number;
  lastCalledAt: number;
  sunset: string;
  successor: string;
}

export interface UsageReport {
  days: readonly UsageDay[];
  /** Set if there may be more than was read: rows of this day may be missing, and all of the days before it. */
  cutAt?: number;
  deprecated: readonly DeprecatedUse[];
}

/** The usage of a workspace in the last 30 days. */
export async function usageReport(
  store: Readers,
  input: { workspaceId: number; deprecations: Deprecations; now: number },
): Promise<UsageReport> {
  const { workspaceId, deprecations, now } = input;
  const today = Math.floor(now / DAY_MS);
  const days = await store.usage.days(workspaceId, today - HISTORY_DAYS + 1);
  const cut = days.length === EXAMINED_MAX ? { cutAt: days[0]!.day } : {};
  return { days, ...cut, deprecated: deprecatedUses(days, deprecations) };
}

function deprecatedUses(days: readonly UsageDay[], deprecations: Deprecations): DeprecatedUse[] {
  const uses = new Map<string, DeprecatedUse>();
  for (const { operationId, keyId, admitted, lastAt } of days) {
    const deprecation = deprecations.get(operationId);
    if (!deprecation || admitted === 0) continue;
    const name = `${operationId} ${keyId}`;
    const use = uses.get(name) ?? { operationId, keyId, calls: 0, lastCalledAt: 0, ...deprecation };
    use.calls += admitted;
    use.lastCalledAt = Math.max(use.lastCalledAt, lastAt);
    uses.set(name, use);
  }
  return [...uses.values()];
}
