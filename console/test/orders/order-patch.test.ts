import { expect, test } from 'vitest';
import {
  canHoldUntil,
  draftOf,
  patched,
  patchOf,
} from '../../src/screens/orders/change/order-patch.ts';
import { fromLocalInput, instantIn, toLocalInput } from '../../src/ui/local-time.ts';

const order = {
  id: 7,
  petId: 1,
  quantity: 2,
  shipDate: '2026-11-16T10:00:59.123Z',
  complete: false,
};

test('a field that was left alone is not sent, so it keeps its seconds', () => {
  expect(patchOf(order, draftOf(order))).toEqual({});
  expect(patchOf(order, { ...draftOf(order), units: '3' })).toEqual({ quantity: 3 });
});

test('an emptied date is cleared, and a new one is sent as an instant', () => {
  expect(patchOf(order, { ...draftOf(order), ships: '' })).toEqual({ shipDate: null });
  const holds = '2026-11-20T08:30';
  expect(patchOf(order, { ...draftOf(order), holds })).toEqual({
    expiresAt: new Date(holds).toISOString(),
  });
});

test('shows the order as it will be', () => {
  expect(patched(order, { quantity: 5, shipDate: null })).toEqual({
    id: 7,
    petId: 1,
    quantity: 5,
    complete: false,
  });
  expect(patched(order, {})).toMatchObject({ quantity: 2, shipDate: order.shipDate });
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
