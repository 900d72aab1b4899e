import type { Movement, Order, PetstoreEvent } from '@petstore/client';
import { expect, test } from 'vitest';
import { stepsOf } from '../../src/screens/orders/order/history.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 18, 9, minute)).toISOString();

const order: Order = {
  id: 7,
  petId: 1,
  quantity: 3,
  complete: true,
  state: 'complete',
  createdAt: at(0),
  endedAt: at(30),
};

const row = (id: number, minute: number, cause: Movement['cause'], orderId = 7) =>
  ({ id, orderId, petId: 1, cause, at: at(minute), keyId: `key-${id}` }) as Movement;

const update = (minute: number, before: object, orderId = 7) =>
  ({
    type: 'order.updated',
    timestamp: at(minute),
    keyId: 'key-feed',
    data: { order: { id: orderId } },
    before,
  }) as unknown as PetstoreEvent;

const kinds = (...args: Parameters<typeof stepsOf>) =>
  stepsOf(...args).map(({ kind, movement, update }) => [
    kind,
    movement?.id,
    Object.keys(update?.before ?? {}).join(),
  ]);

test('the steps of an order, newest first, from the rows and events that are its own', () => {
  const rows = [
    row(1, 0, 'reserved'),
    row(2, 5, 'reserved', 8),
    row(3, 10, 'reserved'),
    row(4, 30, 'fulfilled'),
  ];
  const events = [
    update(20, { note: null }),
    update(12, { note: null }, 8),
    update(10, { quantity: 2 }),
  ];
  expect(kinds(order, rows, events)).toEqual([
    ['fulfilled', 4, ''],
    ['changed', undefined, 'note'],
    ['changed', 3, 'quantity'],
    ['placed', 1, ''],
  ]);
});

test('it was placed and it ended, also where no row says by whom', () => {
  const cancelled: Order = { ...order, state: 'cancelled', complete: false };
  expect(kinds(cancelled, [], [])).toEqual([
    ['cancelled', undefined, ''],
    ['placed', undefined, ''],
  ]);
  expect(kinds({ ...order, state: 'open', endedAt: undefined } as never, [], [])).toEqual([
    ['placed', undefined, ''],
  ]);
});

test('an order that is handed over at once has one row for both, and its customer can go later', () => {
  const sold = { ...order, endedAt: order.createdAt! };
  expect(kinds(sold, [row(1, 0, 'fulfilled')], [update(40, { customer: 'Ada' })])).toEqual([
    ['changed', undefined, 'customer'],
    ['fulfilled', 1, ''],
    ['placed', 1, ''],
  ]);
});
