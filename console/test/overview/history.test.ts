import type { Order, Usage } from '@petstore/client';
import { expect, test } from 'vitest';
import {
  admittedToday,
  createdPerDay,
  lastDays,
  placedPerDay,
  today,
} from '../../src/screens/overview/history.ts';
import { perDay } from '../../src/screens/usage/totals.ts';

const DAY_MS = 86_400_000;
const now = Date.now();
const entry = { keyId: 'k', operationId: 'listPets', admitted: 5, refused: 2, failed: 1 };
const usage = {
  history: [
    { ...entry, date: today(now) },
    { ...entry, date: today(now), keyId: 'other', operationId: 'placeOrder', admitted: 7 },
    { ...entry, date: today(now - DAY_MS), operationId: 'placeOrder', admitted: 100 },
  ],
} as unknown as Usage;

test('the requests of today are those that the limits let through, of all keys, as in the chart of usage', () => {
  expect(admittedToday(usage, now)).toBe(12);
  expect(perDay(usage, 2, now).at(-1)?.admitted).toBe(12);
});

test('the orders of a day are those that were placed and did not fail', () => {
  expect(placedPerDay(usage, 3, now).map(({ count }) => count)).toEqual([0, 99, 6]);
});

test('an order falls on the day of the time zone, also across the end of a month', () => {
  const at = Date.parse('2026-10-31T12:00:00Z');
  const days = lastDays(3, at, 'Pacific/Auckland');
  expect(days).toEqual(['2026-10-30', '2026-10-31', '2026-11-01']);
  expect(lastDays(2, at)).toEqual(['2026-10-30', '2026-10-31']);
  const orders = ['2026-10-30T10:59:59Z', '2026-10-30T11:00:00Z', '2026-10-31T11:00:00Z'].map(
    (createdAt) => ({ createdAt }) as Order,
  );
  const counts = createdPerDay(orders, days, 'Pacific/Auckland').map(({ count }) => count);
  expect(counts).toEqual([1, 1, 1]);
});
