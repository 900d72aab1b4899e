import type { ReadOperation } from '@petstore/client';
import { type QueryResult, useQuery } from '../api/query.ts';
import { queryValue } from '../router.ts';
import { pageSize } from './page-size.ts';

/** What the client's method for a list takes. */
type ListRead<Filter, Page> = (
  query: Filter & { limit: number; cursor?: string },
  options: { signal: AbortSignal },
) => PromiseLike<Page>;

export interface List<Page> extends QueryResult<Page> {
  /** Whether other rows may be there that this page does not show. */
  isFiltered: boolean;
}

/** The page of a list that the address asks for. The rows of the page before stay until it is there. */
export function useList<Filter extends object, Page>(
  operation: ReadOperation,
  filter: Filter,
  read: ListRead<Filter, Page>,
): List<Page> {
  const cursor = queryValue('cursor');
  const query = { ...filter, limit: pageSize.value, cursor };
  const result = useQuery({
    key: [operation, query],
    read: (signal) => read(query, { signal }),
    keepsPrevious: true,
  });
  // Neither the order nor the size of the page leaves rows out.
  const { limit: _, sort: __, ...narrowing } = query as typeof query & { sort?: string };
  return { ...result, isFiltered: Object.values(narrowing).some(Boolean) };
}
