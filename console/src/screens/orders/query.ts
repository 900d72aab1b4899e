import type { ListOrdersQuery, Order, WithResponse } from '@petstore/client';
import { useQuery } from '../../api/query.ts';
import { ORDER_STATES } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { searchFor } from '../../parts/name-words.ts';
import { sortInAddress } from '../../parts/sort-by.ts';
import { queryNumber, queryValue } from '../../router.ts';
import type { Tone } from '../../ui/badge.tsx';
import { instantIn, toLocalInput } from '../../ui/local-time.ts';
import { orderWords as words } from '../../words/orders.ts';

/** The tabs of the list. */
type OrderTab = keyof typeof words.tabs;

/** Open orders come first: they are what the address shows if it says nothing else. */
export function tabInAddress(): OrderTab {
  const show = queryValue('show') ?? '';
  return show in words.tabs ? (show as OrderTab) : 'open';
}

/** The oldest open order is next; of the others, the latest is what one looks for. */
export const sortUnlessGiven = () =>
  ['open', 'today', 'late'].includes(tabInAddress()) ? 'id' : '-id';

const MINUTE_MS = 60_000;

/** What a tab shows, and which ship dates that leaves. */
function filterOfTab(tab: OrderTab, now: number): ListOrdersQuery {
  if (tab === 'all') return { state: ORDER_STATES };
  if (tab === 'complete') return { state: ['complete'] };
  if (tab === 'cancelled') return { state: ['cancelled', 'expired'] };
  const open: ListOrdersQuery = { state: ['open'] };
  if (tab === 'open') return open;
  // To the minute: the same question is not asked anew with every second.
  if (tab === 'late') {
    const late = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    return { ...open, shipDateTo: new Date(late).toISOString() };
  }
  const day = toLocalInput(new Date(now).toISOString()).slice(0, 10);
  return { ...open, shipDateFrom: instantIn(day), shipDateTo: instantIn(day, true) };
}

/** What the address asks for. Anything that it cannot mean is left out. */
export function orderFilter(now: number): ListOrdersQuery {
  const ofTab = filterOfTab(tabInAddress(), now);
  const from = instantIn(queryValue('shipDateFrom'));
  const to = instantIn(queryValue('shipDateTo'), true);
  return {
    sort: sortInAddress(['id', '-id', 'shipDate', '-shipDate']) ?? sortUnlessGiven(),
    q: searchFor(queryValue('q')),
    petId: queryNumber('petId'),
    ...ofTab,
    shipDateFrom: ofTab.shipDateFrom ?? from,
    shipDateTo: ofTab.shipDateTo ?? to,
  };
}

/** An open order whose ship date is over. */
export function isLate({ state, shipDate }: Order, now: number): boolean {
  return state === 'open' && shipDate !== undefined && Date.parse(shipDate) < now;
}

export function badgeOf(order: Order, now: number): readonly [tone: Tone, text: string] {
  const { state = 'open' } = order;
  if (state === 'complete') return ['good', words.states.fulfilled];
  if (state !== 'open') return ['neutral', words.ended[state]];
  return isLate(order, now) ? ['bad', words.late] : ['warn', words.states.open];
}

export function useOrder(orderId: number) {
  return useQuery<WithResponse<Order>>({
    key: ['getOrder', orderId],
    read: (signal) => store.orders.get(orderId, { signal }).withResponse(),
  });
}
