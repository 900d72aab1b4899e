import { hrefWith, queryValue } from '../router.ts';
import type { Sort } from '../ui/table.tsx';

/** The order of rows that the address asks for, if the service knows it. */
export function sortInAddress<Order extends string>(orders: readonly Order[]): Order | undefined {
  return orders.find((each) => each === queryValue('sort'));
}

/** The heading of a column that the service sorts by. A press turns the direction. */
export function sortBy(field: string, unlessGiven: string): Sort {
  const current = queryValue('sort') ?? unlessGiven;
  const direction =
    current === field ? 'ascending' : current === `-${field}` ? 'descending' : undefined;
  const next = direction === 'ascending' ? `-${field}` : field;
  return {
    direction,
    href: hrefWith({ sort: next === unlessGiven ? undefined : next, cursor: undefined }),
  };
}
