// The usage of the workspace: it costs nothing of the plan, so it alone is read again and again, also while requests are
// refused. Its parts are read together, so that the numbers of a screen are of the same moment.

import type { Usage, UsageAdvice, UsageMinute } from '@petstore/client';
import { useEffect } from 'preact/hooks';
import { USAGE_OPERATIONS } from '../api/changes.ts';
import { isFreePaused, pause } from '../api/limits.ts';
import { type QueryResult, queries, useQuery } from '../api/query.ts';
import { may, session } from '../api/session.ts';
import { store } from '../api/store.ts';
import { RECENT_DAYS, wholeHistory } from '../api/usage-history.ts';

const EVERY_MS = 15_000;
const HOUR = 60;

/** What the keys used, by day and operation, and which are banned. */
export function useUsage(): QueryResult<Usage> {
  return useQuery({
    key: ['getUsage'],
    read: async (signal) => {
      const known = queries.get<Usage>(['getUsage']);
      const usage = await store.usage.get(known ? { days: RECENT_DAYS } : {}, { signal });
      return known ? { ...usage, history: wholeHistory(known, usage) } : usage;
    },
    isEnabled: may('read'),
    isFree: true,
  });
}

/** The requests of each of the last minutes. */
export function useMinutes(minutes = HOUR, isEnabled = true): QueryResult<UsageMinute[]> {
  return useQuery({
    key: ['getUsageMinutes', minutes],
    read: (signal) => store.usage.minutes(minutes === HOUR ? {} : { minutes }, { signal }),
    isEnabled: isEnabled && may('read'),
    isFree: true,
  });
}

/** What each plan would have refused of the last day. */
export function useAdvice(): QueryResult<UsageAdvice> {
  return useQuery({
    key: ['getUsageAdvice'],
    read: (signal) => store.usage.advice({ signal }),
    isFree: true,
  });
}

/** Reads all that the screen shows of the usage. */
function readUsage(): void {
  for (const operation of USAGE_OPERATIONS) {
    for (const query of queries.of(operation)) if (query.isActive) void query.fetch();
  }
}

/** Reads the usage again and again, and at once when a refusal begins or ends. */
export function useUsagePolling(): void {
  const kind = pause.value?.kind;
  const isSent = !isFreePaused.value;
  useEffect(() => {
    if (kind !== undefined && isSent) readUsage();
    const timer = setInterval(() => {
      if (!document.hidden && isSent) readUsage();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [kind, isSent]);
}

/** Reads the usage when a screen opens that shows several parts of it: one that is known may be older than the others. */
export function useUsageTogether(): void {
  useEffect(() => {
    const known = queries.of('getUsage').some(({ data }) => data !== undefined);
    if (known) readUsage();
  }, []);
}

/** The requests of this session today, as the service counted them. */
export function usedByConsole({ history }: Usage): number {
  const today = new Date().toISOString().slice(0, 10);
  return history
    .filter(({ keyId, date }) => keyId === session.value?.keyId && date === today)
    .reduce((sum, { admitted }) => sum + admitted, 0);
}
