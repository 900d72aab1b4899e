import type { Order, Page } from '@petstore/client';
import { date } from '../../ui/format.ts';
import { overviewWords as words } from '../../words/overview.ts';

type OrderPage = Pick<Page<Order>, 'items' | 'nextCursor'>;

/** What the open orders hold. A page that is not the last one knows only a lower bound. */
export function openOrdersNote({ items, nextCursor }: OrderPage, now: number): string {
  const units = items.reduce((sum, { quantity = 0 }) => sum + quantity, 0);
  // The reader's day, as the list of orders shows it; only what the service counts goes by UTC.
  const day = date(now);
  const today = items.filter(({ shipDate }) => shipDate && date(shipDate) === day).length;
  return nextCursor === undefined
    ? words.openOrdersNote(units, today)
    : words.openOrdersAtLeast(units, today);
}
