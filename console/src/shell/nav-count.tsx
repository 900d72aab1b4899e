import { type Query, useKnown } from '../api/query.ts';
import { bansQuery, lowStockQuery, openOrdersQuery } from '../api/shared-queries.ts';
import type { ScreenName } from '../routes.ts';
import { number } from '../ui/format.ts';
import { useNow } from '../ui/use-now.ts';
import { controlWords } from '../words/controls.ts';

interface Countable {
  items: readonly object[];
  nextCursor?: string | undefined;
}

/** What the number beside an entry of the navigation counts. */
export const counted: Partial<Record<ScreenName, () => Query<Countable>>> = {
  inventory: lowStockQuery,
  orders: () => openOrdersQuery,
  bans: () => bansQuery,
};

/** The number beside an entry of the navigation, if some screen has read it and nothing changed since. It costs no request. */
export function NavCount({ query }: { query: Query<Countable> }) {
  const page = useKnown(query);
  const hasEnds = page?.items.some((item) => 'until' in item) ?? false;
  const now = useNow(1_000, hasEnds);
  const items = page?.items.filter((item) => !isOver(item, now));
  if (!items?.length) return null;
  return <span class="nav-count">{countText({ ...page, items })}</span>;
}

/** Whether it is a ban that has ended by itself. No event says so. */
function isOver(item: object, now: number): boolean {
  return 'until' in item && Date.parse(String(item.until)) <= now;
}

/** The number of records, or "100+" when there are more than a page holds. */
export function countText({ items, nextCursor }: Countable): string {
  return nextCursor === undefined ? number(items.length) : controlWords.atLeast(items.length);
}
