import type { Metadata } from '../../domain/metadata.ts';
import type { OrderRecord, OrderState } from '../../domain/order.ts';
import { formatInstant } from '../../lib/instant.ts';

export interface OrderView {
  id: number;
  petId: number;
  quantity: number;
  shipDate?: string;
  complete: boolean;
  state: OrderState;
  createdAt: string;
  expiresAt?: string;
  endedAt?: string;
  endReason?: string;
  reference?: string;
  customer?: string;
  note?: string;
  metadata?: Metadata;
}

export function orderView(order: OrderRecord): OrderView {
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
