import type { Usage } from '@petstore/client';
import { type QueryResult, useQuery } from '../api/query.ts';
import { may, session } from '../api/session.ts';
import { store } from '../api/store.ts';

const EVERY_MS = 15_000;

/** The usage of the workspace: it costs nothing of the plan, so it alone is read again and again. */
export function useUsage(): QueryResult<Usage> {
  return useQuery({
    key: ['getUsage'],
    read: (signal) => store.usage.get({ signal }),
    isEnabled: may('read'),
    everyMs: EVERY_MS,
  });
}

/** The requests of this session today, as the service counted them. */
export function usedByConsole({ history }: Usage): number {
  const today = new Date().toISOString().slice(0, 10);
  return history
    .filter(({ keyId, date }) => keyId === session.value?.keyId && date === today)
    .reduce((sum, { admitted }) => sum + admitted, 0);
}
