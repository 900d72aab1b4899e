import { Refusal } from './errors.ts';

export const ORDER_QUANTITY_MAX = 1_000_000;

export interface NewOrder {
  petId: number;
  quantity: number;
  /** Epoch milliseconds. */
  shipDate?: number;
  complete: boolean;
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
}

/** A complete order never changes; a patch with any field is refused, even if it would change nothing. */
export function patchOrder(order: OrderRecord, patch: OrderPatch): OrderRecord {
  if (order.complete && Object.keys(patch).length > 0) throw orderComplete(order.id);
  const { shipDate: before, ...rest } = order;
  const shipDate = patch.shipDate === undefined ? before : (patch.shipDate ?? undefined);
  return {
    ...rest,
    quantity: patch.quantity ?? order.quantity,
    complete: patch.complete ?? order.complete,
    ...(shipDate === undefined ? {} : { shipDate }),
  };
}

/** The refusal to change or cancel a complete order. */
export function orderComplete(id: number): Refusal {
  return new Refusal('order_complete', {
    message: `Order ${id} is complete and can no longer change. Place a new order.`,
  });
}
