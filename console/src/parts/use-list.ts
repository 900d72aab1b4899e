import type { ReadOperation } from '@petstore/client';
import { signal } from '@preact/signals';
import { isFree } from '../api/changes.ts';
import { type QueryResult, useQuery } from '../api/query.ts';
import { queryValue } from '../router.ts';

export const PAGE_SIZES = [20, 50, 100] as const;
const NAME = 'page-size';

function remembered(): number {
  try {
    return Number(localStorage.getItem(NAME));
  } catch {
    // A browser that blocks storage forgets the choice; all else works.
    return 0;
  }
}

/** How many rows a page of a list has. This browser remembers it. */
export const pageSize = signal<number>(
  PAGE_SIZES.find((each) => each === remembered()) ?? PAGE_SIZES[0],
);

export function setPageSize(rows: number): void {
  pageSize.value = rows;
  try {
    localStorage.setItem(NAME, String(rows));
  } catch {}
}

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
    isFree: isFree(operation),
    keepsPrevious: true,
  });
  // Neither the order nor the size of the page leaves rows out.
  const { limit: _, sort: __, ...narrowing } = query as typeof query & { sort?: string };
  return { ...result, isFiltered: Object.values(narrowing).some(Boolean) };
}
