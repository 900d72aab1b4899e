import type { OrderRecord } from '../../domain/order.ts';
import { formatInstant } from '../../lib/instant.ts';

export interface OrderView {
  id: number;
  petId: number;
  quantity: number;
  shipDate?: string;
  complete: boolean;
  createdAt?: string;
  expiresAt?: string;
}

export function orderView(order: OrderRecord): OrderView {
  const { id, petId, quantity, shipDate, complete, createdAt, expiresAt } = order;
  return {
    id,
    petId,
    quantity,
    ...(shipDate === undefined ? {} : { shipDate: formatInstant(shipDate) }),
    complete,
    ...(createdAt === undefined ? {} : { createdAt: formatInstant(createdAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: formatInstant(expiresAt) }),
  };
}
