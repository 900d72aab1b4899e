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

export function orderView({ shipDate, createdAt, expiresAt, ...order }: OrderRecord): OrderView {
  return {
    ...order,
    ...(shipDate === undefined ? {} : { shipDate: formatInstant(shipDate) }),
    ...(createdAt === undefined ? {} : { createdAt: formatInstant(createdAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: formatInstant(expiresAt) }),
  };
}
