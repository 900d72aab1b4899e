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
    ...(shipDate === undefined ? {} : { shipDate: formatInstant(shipDate) }),
    complete: state === 'complete',
    state,
    createdAt: formatInstant(createdAt),
    ...(expiresAt === undefined ? {} : { expiresAt: formatInstant(expiresAt) }),
    ...(endedAt === undefined ? {} : { endedAt: formatInstant(endedAt) }),
    ...(endReason === undefined ? {} : { endReason }),
    ...(reference === undefined ? {} : { reference }),
    ...(customer === undefined ? {} : { customer }),
    ...(note === undefined ? {} : { note }),
    ...(metadata && { metadata }),
  };
}
