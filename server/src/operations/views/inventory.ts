import type { Static } from 'typebox';
import type { MovementRecord, StockRecord } from '../../domain/inventory.ts';
import { availableOf, statusOf } from '../../domain/stock.ts';
import { formatInstant } from '../../lib/instant.ts';
import type { InventoryItem, Movement } from '../schemas/inventory.ts';

export type InventoryItemView = Static<typeof InventoryItem>;
export type MovementView = Static<typeof Movement>;

export function inventoryItemView({ petId, stock }: StockRecord): InventoryItemView {
  const { quantity, reserved } = stock;
  return { petId, quantity, reserved, available: availableOf(stock), status: statusOf(stock) };
}

export function movementView(movement: MovementRecord) {
  const { id, petId, cause, quantityBefore, quantityAfter, reservedBefore } = movement;
  const { reservedAfter, orderId, reason, reference, keyId, at, reverses, reversedBy } = movement;
  return {
    id,
    petId,
    cause,
    quantityBefore,
    quantityAfter,
    reservedBefore,
    reservedAfter,
    orderId,
    reason,
    reference,
    keyId,
    at: formatInstant(at),
    reverses,
    reversedBy,
  };
}
