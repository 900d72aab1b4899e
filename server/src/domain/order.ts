import { DAY_MS } from './durations.ts';
import { invalidField, Refusal } from './errors.ts';

export const ORDER_QUANTITY_MAX = 1_000_000;
export const EXPIRY_DAYS_MAX = 30;

export interface NewOrder {
  petId: number;
  quantity: number;
  /** Epoch milliseconds. */
  shipDate?: number;
  complete: boolean;
  /** Epoch milliseconds: when the order is cancelled if it is still open. A complete order has none. */
  expiresAt?: number;
}

export interface OrderRecord extends NewOrder {
  id: number;
  /** Epoch milliseconds. Absent for orders of a version that did not record it. */
  createdAt?: number;
}

export interface OrderPatch {
  quantity?: number;
  /** Epoch milliseconds; null clears it. */
  shipDate?: number | null;
  complete?: boolean;
  /** Epoch milliseconds; null keeps the order until it is completed or cancelled. */
  expiresAt?: number | null;
}

/** Refuses an expiry that is not ahead, is too far ahead, or is given to an order that becomes complete. */
export function checkExpiry({ expiresAt, complete }: OrderPatch, now: number): void {
  if (expiresAt === undefined) return;
  if (complete) throw invalidField('expiresAt', 'must be absent when complete is true');
  if (expiresAt === null) return;
  if (expiresAt <= now) throw invalidField('expiresAt', 'must be later than now');
  if (expiresAt > now + EXPIRY_DAYS_MAX * DAY_MS) {
    throw invalidField('expiresAt', `must be within ${EXPIRY_DAYS_MAX} days from now`);
  }
}

/** A complete order never changes; a patch with any field is refused, even if it would change nothing. */
export function patchOrder(order: OrderRecord, patch: OrderPatch): OrderRecord {
  if (order.complete && Object.keys(patch).length > 0) throw orderComplete(order.id);
  const { shipDate: shipDateBefore, expiresAt: expiresAtBefore, ...rest } = order;
  const complete = patch.complete ?? order.complete;
  const shipDate = patched(shipDateBefore, patch.shipDate);
  const expiresAt = complete ? undefined : patched(expiresAtBefore, patch.expiresAt);
  return {
    ...rest,
    quantity: patch.quantity ?? order.quantity,
    complete,
    ...(shipDate === undefined ? {} : { shipDate }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function patched<T>(before: T | undefined, change: T | null | undefined): T | undefined {
  return change === undefined ? before : (change ?? undefined);
}

/** The refusal to change or cancel a complete order. */
export function orderComplete(id: number): Refusal {
  return new Refusal('order_complete', {
    message: `Order ${id} is complete and can no longer change. Place a new order.`,
  });
}
