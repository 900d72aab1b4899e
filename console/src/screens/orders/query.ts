import type { ListOrdersQuery, Order, WithResponse } from '@petstore/client';
import { queries, useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { sortInAddress } from '../../parts/sort-by.ts';
import { queryNumber, queryValue } from '../../router.ts';
import type { Tone } from '../../ui/badge.tsx';
import { instantIn } from '../../ui/local-time.ts';
import { orderWords as words } from '../../words/orders.ts';

export type OrderState = 'open' | 'fulfilled' | 'all';

/** Open orders come first: they are what the address shows if it says nothing else. */
export function stateInAddress(): OrderState {
  const complete = queryValue('complete');
  return complete === 'true' ? 'fulfilled' : complete === 'all' ? 'all' : 'open';
}

/** The oldest open order is next; of the others, the latest is what one looks for. */
export const sortUnlessGiven = () => (stateInAddress() === 'open' ? 'id' : '-id');

/** What the address asks for. Anything that it cannot mean is left out. */
export function orderFilter(): ListOrdersQuery {
  const state = stateInAddress();
  return {
    sort: sortInAddress(['id', '-id']) ?? sortUnlessGiven(),
    complete: state === 'all' ? undefined : state === 'fulfilled',
    petId: queryNumber('petId'),
    shipDateFrom: instantIn(queryValue('shipDateFrom')),
    shipDateTo: instantIn(queryValue('shipDateTo'), true),
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

/** An order that is being cancelled is not read again: the event can arrive before the response, and it is gone then. */
export function useOrder(orderId: number, isBeingCancelled = false) {
  return useQuery<WithResponse<Order>>({
    key: ['getOrder', orderId],
    isEnabled: !(isBeingCancelled && queries.get(['getOrder', orderId])),
    read: (signal) => store.orders.get(orderId, { signal }).withResponse(),
  });
}
