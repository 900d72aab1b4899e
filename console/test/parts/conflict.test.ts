import { expect, test } from 'vitest';
import { differing } from '../../src/parts/conflict-fields.ts';
import { orderFields } from '../../src/screens/orders/change/order-fields.ts';

const order = { id: 7, petId: 1, quantity: 2, shipDate: '2026-11-16T10:00:00Z', complete: false };

test('a conflict shows the fields that differ, theirs and yours', () => {
  const theirs = { ...order, quantity: 5 };
  const fields = differing(orderFields(theirs, { ...order, quantity: 3 }, 'Open'));
  expect(fields).toEqual([{ name: 'Units', theirs: '5', yours: '3' }]);
});

test('a date that was taken away is shown as none', () => {
  const { shipDate: _, ...without } = order;
  const fields = differing(orderFields(without, order, 'Open'));
  expect(fields).toHaveLength(1);
  expect(fields[0]).toMatchObject({ theirs: 'none' });
  expect(fields[0]!.yours).toContain('2026');
});

test('an order that someone fulfilled shows its state', () => {
  const fields = differing(orderFields({ ...order, complete: true }, order, 'Open'));
  expect(fields.map(({ theirs, yours }) => [theirs, yours])).toEqual([['Fulfilled', 'Open']]);
});

test('nothing differs when someone else made the same change', () => {
  expect(differing(orderFields(order, { ...order }, 'Open'))).toEqual([]);
});
