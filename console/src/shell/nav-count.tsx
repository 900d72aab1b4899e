import { bansQuery, lowStockQuery, openOrdersQuery } from '../api/common-queries.ts';
import { type Query, useKnown } from '../api/query.ts';
import type { ScreenName } from '../routes.ts';
import { number } from '../ui/format.ts';
import { commonWords } from '../words/common.ts';

interface Countable {
  items: readonly unknown[];
  nextCursor?: string | undefined;
}

/** What the number beside an entry of the navigation counts. */
export const counted: Partial<Record<ScreenName, Query<Countable>>> = {
  inventory: lowStockQuery,
  orders: openOrdersQuery,
  bans: bansQuery,
};

/** The number beside an entry of the navigation, if some screen has read it already. It costs no request. */
export function NavCount({ query }: { query: Query<Countable> }) {
  const page = useKnown(query);
  if (!page || page.items.length === 0) return null;
  return <span class="nav-count">{countText(page)}</span>;
}

/** The number of records, or "100+" when there are more than a page holds. */
export function countText({ items, nextCursor }: Countable): string {
  return nextCursor === undefined ? number(items.length) : commonWords.atLeast(items.length);
}
