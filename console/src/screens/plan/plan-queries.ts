import type { Plan, UsageAdvice } from '@petstore/client';
import { type QueryResult, useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';

/** The table of plans. It costs nothing. */
export function usePlans(): QueryResult<Plan[]> {
  return useQuery({ key: ['listPlans'], read: (signal) => store.usage.plans({ signal }) });
}

/** What each plan would have refused of the last day. It costs nothing. */
export function useAdvice(): QueryResult<UsageAdvice> {
  return useQuery({
    key: ['getUsageAdvice'],
    read: (signal) => store.usage.advice({ signal }),
  });
}
