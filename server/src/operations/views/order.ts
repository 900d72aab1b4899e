import type { OrderRecord } from '../../domain/order.ts';
import { formatInstant } from '../../lib/instant.ts';

export type OrderView = ReturnType<typeof orderView>;

export function orderView(order: OrderRecord) {
  const { id, petId, quantity, shipDate, state, createdAt } = order;
  const { expiresAt, endedAt, endReason, reference, customer, note, metadata } = order;
  return {
    id,
    petId,
    quantity,
    shipDate: formatInstant(shipDate),
    complete: state === 'complete',
    state,
    createdAt: formatInstant(createdAt),
    expiresAt: formatInstant(expiresAt),
    endedAt: formatInstant(endedAt),
    endReason,
    reference,
    customer,
    note,
    metadata,
  };
}
