import type { OrderRecord } from '../../domain/order.ts';
import { formatInstant } from '../../lib/instant.ts';

export interface OrderView {
  id: number;
  petId: number;
  quantity: number;
  shipDate?: string;
  complete: boolean;
}

export function orderView({ shipDate, ...order }: OrderRecord): OrderView {
  return shipDate === undefined ? order : { ...order, shipDate: formatInstant(shipDate) };
}
