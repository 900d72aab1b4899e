import type { InventoryItem, Movement } from '@petstore/client';
import { expect, test } from 'vitest';
import { pointsOf, ROWS } from '../../src/screens/inventory/stock-points.ts';

const DAY_MS = 86_400_000;
const now = Date.parse('2026-06-30T12:00:00Z');
const item = { quantity: 7, reserved: 1 } as InventoryItem;

/** A movement that left so many units. */
const moved = (daysAgo: number, quantityAfter: number, cause = 'adjusted') =>
  ({
    at: new Date(now - daysAgo * DAY_MS).toISOString(),
    cause,
    quantityBefore: quantityAfter - 1,
    quantityAfter,
    reservedBefore: 0,
    reservedAfter: 0,
  }) as Movement;

const quantities = (movements: readonly Movement[]) =>
  pointsOf(movements, item, now).map(({ quantity }) => quantity);

test('the line begins 30 days ago with what was there before the first movement', () => {
  expect(quantities([])).toEqual([7]);
  expect(quantities([moved(1, 5), moved(2, 4), moved(40, 3)])).toEqual([3, 4, 5]);
  expect(pointsOf([moved(1, 5)], item, now)[0]!.at).toBe('2026-05-31T12:00:00.000Z');
});

test('the line of a new pet begins when it was created', () => {
  expect(quantities([moved(1, 5), moved(2, 4, 'created')])).toEqual([4, 5]);
});

test('the line begins where it is known when older movements were not read', () => {
  const movements = Array.from({ length: ROWS }, (_, index) => moved(index / ROWS, ROWS - index));
  const points = pointsOf(movements, item, now);
  expect(points).toHaveLength(ROWS);
  expect(points[0]).toMatchObject({ at: movements.at(-1)!.at, quantity: 1 });
});
