import type { Usage, UsageEntry, UsageMinute } from '@petstore/client';
import { expect, test } from 'vitest';
import {
  busiestOf,
  entriesOf,
  perDay,
  perQuarter,
  totalsBy,
} from '../../src/screens/usage/totals.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const entry = (date: string, keyId: string, operationId: string, admitted: number): UsageEntry => ({
  date,
  keyId,
  operationId,
  admitted,
  refused: 1,
  failed: 2,
});
const history = [
  entry('2026-11-14', 'a', 'listPets', 10),
  entry('2026-11-15', 'a', 'listPets', 3),
  entry('2026-11-15', 'a', 'getPet', 5),
  entry('2026-11-15', 'a', 'getOrder', 1),
  entry('2026-11-15', 'b', 'listPets', 4),
];
const usage: Usage = { windows: [], bans: [], history, deprecated: [] };

test('today holds the entries of this UTC day, the month all of them', () => {
  expect(entriesOf(usage, 'today', NOW)).toHaveLength(4);
  expect(entriesOf(usage, 'month', NOW)).toHaveLength(5);
});

test('totals of a key add up its operations and name the two that it called most', () => {
  const [a, b] = totalsBy(entriesOf(usage, 'today', NOW), 'keyId');
  expect(a).toEqual({
    id: 'a',
    admitted: 9,
    refused: 3,
    failed: 6,
    mostly: ['getPet', 'listPets'],
  });
  expect(b).toMatchObject({ id: 'b', admitted: 4 });
});

test('totals come busiest first', () => {
  const ids = totalsBy(history, 'operationId').map(({ id }) => id);
  expect(ids).toEqual(['listPets', 'getPet', 'getOrder']);
});

test('days without a request are zeros, and the last day is today', () => {
  expect(perDay(usage, 3, NOW)).toEqual([
    { date: '2026-11-13', admitted: 0, refused: 0 },
    { date: '2026-11-14', admitted: 10, refused: 1 },
    { date: '2026-11-15', admitted: 13, refused: 4 },
  ]);
});

test('minutes add up to quarters of an hour, none is lost', () => {
  const minutes: UsageMinute[] = Array.from({ length: 1_440 }, (_, index) => ({
    minute: new Date(NOW + index * 60_000).toISOString(),
    admitted: index,
    refused: 1,
  }));
  const quarters = perQuarter(minutes);
  expect(quarters).toHaveLength(96);
  expect(quarters[0]).toEqual({ from: NOW, admitted: 105, refused: 15 });
  const all = quarters.reduce((sum, { admitted, refused }) => sum + admitted + refused, 0);
  expect(all).toBe((1_439 * 1_440) / 2 + 1_440);
  expect(busiestOf(minutes)).toBe(1_440);
});
