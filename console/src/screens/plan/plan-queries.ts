import type { Plan } from '@petstore/client';
import { type QueryResult, useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';

/** The table of plans. It costs nothing. */
export function usePlans(): QueryResult<Plan[]> {
  return useQuery({
    key: ['listPlans'],
    read: (signal) => store.usage.plans({ signal }),
    isFree: true,
  });
}
