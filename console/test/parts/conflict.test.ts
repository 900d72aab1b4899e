import type { Order } from '@petstore/client';
import { expect, test } from 'vitest';
import { conflictOf, differing } from '../../src/parts/form/conflict-fields.ts';
import { draftOf, textsOf } from '../../src/screens/orders/order-draft.ts';

const order: Order = {
  id: 7,
  petId: 1,
  quantity: 2,
  shipDate: '2026-11-16T10:00:00Z',
  complete: false,
  state: 'open',
};

const fieldsOf = (theirs: Order, yours: Order) =>
  differing(
    conflictOf(textsOf, {
      before: draftOf(order),
      theirs: draftOf(theirs),
      yours: draftOf(yours),
    }),
  );

test('a conflict shows the fields that differ, theirs and yours', () => {
  const fields = fieldsOf({ ...order, quantity: 5 }, { ...order, quantity: 3 });
  expect(fields).toEqual([{ name: 'Units', before: '2', theirs: '5', yours: '3' }]);
});

test('a date that was taken away is shown as none', () => {
  const { shipDate: _, ...without } = order;
  const fields = fieldsOf(without, order);
  expect(fields).toHaveLength(1);
  expect(fields[0]).toMatchObject({ theirs: 'none' });
  expect(fields[0]!.yours).toContain('2026');
});

test('a date that someone else set and the user keeps is shown as well', () => {
  const theirs = { ...order, shipDate: '2027-01-02T10:00:00Z' };
  const fields = fieldsOf(theirs, { ...theirs, quantity: 3 });
  expect(fields.map(({ name }) => name)).toEqual(['Units', 'Ships']);
  expect(fields[1]!.theirs).toContain('2027');
  expect(fields[1]!.yours).toBe(fields[1]!.theirs);
});

test('an order that someone fulfilled shows its state', () => {
  const fields = fieldsOf({ ...order, complete: true }, order);
  expect(fields.map(({ theirs, yours }) => [theirs, yours])).toEqual([['Fulfilled', 'Open']]);
});

test('nothing differs when someone else made the same change', () => {
  const changed = { ...order, quantity: 3 };
  expect(fieldsOf(changed, { ...changed })).toEqual([]);
});
