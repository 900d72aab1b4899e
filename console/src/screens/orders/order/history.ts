// What became of an order. The ledger knows who moved its units; the feed also knows who changed its other fields.

import type { Movement, Order, PetstoreEvent } from '@petstore/client';

export type Update = Extract<PetstoreEvent, { type: 'order.updated' }>;

export interface Step {
  kind: 'placed' | 'changed' | 'fulfilled' | 'cancelled' | 'expired';
  at: string;
  /** The row of the ledger and the event that tell of it, as far as they were found. */
  movement?: Movement | undefined;
  update?: Update | undefined;
}

const ENDS = { complete: 'fulfilled', cancelled: 'cancelled', expired: 'expired' } as const;

/**
 * The steps of an order, newest first. It was placed and it ended also where no row says by whom.
 */
export function stepsOf(
  order: Order,
  movements: readonly Movement[],
  events: readonly PetstoreEvent[],
): Step[] {
  const { id, createdAt, endedAt, state } = order;
  const rows = movements.filter(({ orderId }) => orderId === id).sort((a, b) => a.id - b.id);
  const updates = events.filter(
    (event): event is Update => event.type === 'order.updated' && event.data.order.id === id,
  );
  const end = state === 'open' ? undefined : ENDS[state];
  // An order that is handed over at once has one row for both.
  const last = endedAt === undefined ? undefined : rows.findLast(({ at }) => at === endedAt);
  const first = rows.find(({ at }) => at === createdAt);
  const between = rows.filter((row) => row !== first && row !== last);
  const unmoved = updates.filter(({ timestamp }) => !between.some(({ at }) => at === timestamp));
  const changes: Step[] = [
    ...between.map((movement) => ({
      kind: 'changed' as const,
      at: movement.at,
      movement,
      update: updates.find(({ timestamp }) => timestamp === movement.at),
    })),
    ...unmoved.map((update) => ({ kind: 'changed' as const, at: update.timestamp, update })),
  ];
  const placed: Step[] =
    createdAt === undefined ? [] : [{ kind: 'placed', at: createdAt, movement: first }];
  const ended: Step[] =
    end && endedAt !== undefined ? [{ kind: end, at: endedAt, movement: last }] : [];
  changes.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  // The customer of an order that has ended may still be removed.
  const isLater = ({ at }: Step) => endedAt !== undefined && Date.parse(at) > Date.parse(endedAt);
  return [
    ...changes.filter(isLater),
    ...ended,
    ...changes.filter((step) => !isLater(step)),
    ...placed,
  ];
}
