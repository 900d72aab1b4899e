import { expect, test } from 'vitest';
import { changesOf } from '../../src/parts/form/changes.ts';
import {
  bodyOf,
  canHoldUntil,
  draftOf,
  type OrderDraft,
} from '../../src/screens/orders/order-draft.ts';
import { fromLocalInput, instantIn, toLocalInput } from '../../src/ui/local-time.ts';

const order = {
  id: 7,
  petId: 1,
  quantity: 2,
  shipDate: '2026-11-16T10:00:59.123Z',
  complete: false,
  state: 'open' as const,
};

const patchOf = (changes: Partial<OrderDraft>) =>
  changesOf(bodyOf(draftOf(order)), bodyOf({ ...draftOf(order), ...changes }));

test('a field that was left alone is not sent, so it keeps its seconds', () => {
  expect(patchOf({})).toEqual({});
  expect(patchOf({ units: '3' })).toEqual({ quantity: 3 });
});

test('an emptied date is cleared, and a new one is sent as an instant', () => {
  expect(patchOf({ ships: '' })).toEqual({ shipDate: null });
  const holds = '2026-11-20T08:30';
  expect(patchOf({ holds })).toEqual({ expiresAt: new Date(holds).toISOString() });
});

test('fulfilling sends that it is complete and nothing else', () => {
  expect(patchOf({ state: 'fulfilled' })).toEqual({ complete: true });
});

test('an order holds its units until later than now and at most 30 days', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const at = (ms: number) => toLocalInput(new Date(now + ms).toISOString());
  expect(canHoldUntil(at(0), now)).toBe(false);
  expect(canHoldUntil(at(60_000), now)).toBe(true);
  expect(canHoldUntil(at(30 * 86_400_000), now)).toBe(true);
  expect(canHoldUntil(at(30 * 86_400_000 + 60_000), now)).toBe(false);
  expect(canHoldUntil('', now)).toBe(false);
});

test('a field for a time holds local time, to the minute', () => {
  const local = new Date(2026, 10, 16, 9, 5);
  expect(toLocalInput(local.toISOString())).toBe('2026-11-16T09:05');
  expect(fromLocalInput('2026-11-16T09:05')).toBe(local.toISOString());
  expect(toLocalInput(undefined)).toBe('');
  expect(fromLocalInput('')).toBeUndefined();
  expect(fromLocalInput('soon')).toBeUndefined();
});

test('a day begins and ends at local midnight', () => {
  expect(instantIn('2026-11-16')).toBe(new Date(2026, 10, 16).toISOString());
  expect(instantIn('2026-11-16', true)).toBe(new Date(2026, 10, 16, 23, 59, 59, 999).toISOString());
  expect(instantIn('16.11.2026')).toBeUndefined();
  expect(instantIn('2026-99-99')).toBeUndefined();
  expect(instantIn(undefined, true)).toBeUndefined();
});
