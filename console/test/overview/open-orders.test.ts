import type { Order } from '@petstore/client';
import { expect, test } from 'vitest';
import { openOrdersNote } from '../../src/screens/overview/open-orders.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const shipDate = new Date(now).toISOString();
const items = [{ quantity: 3, shipDate }, { quantity: 2 }] as Order[];

test('the units and the orders of today are exact when the page has all open orders', () => {
  expect(openOrdersNote({ items, nextCursor: undefined }, now)).toBe(
    '5 units reserved, 1 ships today',
  );
  expect(openOrdersNote({ items: [], nextCursor: undefined }, now)).toBe('0 units reserved');
});

test('the units and the orders of today are a lower bound when there are more open orders', () => {
  expect(openOrdersNote({ items, nextCursor: 'c' }, now)).toBe('5+ units reserved, 1+ ship today');
  const [, undated] = items;
  expect(openOrdersNote({ items: [undated!], nextCursor: 'c' }, now)).toBe('2+ units reserved');
});
