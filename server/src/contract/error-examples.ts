// One example for each error code, as the service sends it. Where a rule of the domain refuses, the example is its refusal.

import { type ErrorCode, invalidField, Refusal } from '../domain/errors.ts';
import {
  changeStatus,
  expectQuantity,
  petHasOpenOrders,
  reserve,
  setQuantity,
} from '../domain/stock.ts';
import type { Json } from './components.ts';
import { docUrlOf } from './links.ts';

const REQUEST_ID = 'q3ZkXb0aT1mE-2f';
const pet = { id: 1, stock: { quantity: 3, reserved: 2, held: false } };

const soldPet = { id: 1, stock: { quantity: 0, reserved: 0, held: false } };

const refusals: Partial<Record<ErrorCode, Refusal>> = {
  invalid_request: invalidField('name', 'is required'),
  insufficient_scope: new Refusal('insufficient_scope', { details: { scope: 'write' } }),
  insufficient_stock: refusalThrownBy(() => reserve(pet, 2)),
  pet_on_hold: refusalThrownBy(() => reserve({ ...pet, stock: { ...pet.stock, held: true } }, 1)),
  pet_has_open_orders: petHasOpenOrders(pet),
  below_reserved: refusalThrownBy(() => setQuantity(pet, 1)),
  stock_changed: refusalThrownBy(() => expectQuantity(pet, 4)),
  invalid_status_change: refusalThrownBy(() => changeStatus(soldPet, 'available')),
  operation_sunset: new Refusal('operation_sunset', {
    details: { sunset: '2030-12-05', successor: 'GET /pets?id={petId}' },
  }),
  rate_limit_exceeded: limitRefusal('rate_limit_exceeded', 'minute'),
  quota_exceeded: limitRefusal('quota_exceeded', 'day'),
  key_banned: limitRefusal('key_banned', 'ban'),
};

export function errorExample(code: ErrorCode): Json {
  const { message, status, details } = refusals[code] ?? new Refusal(code);
  const example = { code, message, status, requestId: REQUEST_ID, docUrl: docUrlOf(code) };
  return details ? { ...example, details } : example;
}

function limitRefusal(code: ErrorCode, limit: string): Refusal {
  const details = { limit, refusalsBeforeBan: 29, until: '2026-01-01T00:01:00Z' };
  return new Refusal(code, { details });
}

/** The refusal of an action that breaks a rule. */
function refusalThrownBy(breakRule: () => unknown): Refusal {
  try {
    breakRule();
  } catch (err) {
    if (err instanceof Refusal) return err;
    throw err;
  }
  throw new Error('the example breaks no rule');
}
