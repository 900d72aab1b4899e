import type { MovementRecord, StockRecord } from '../../domain/inventory.ts';
import { availableOf, type PetStatus, statusOf } from '../../domain/stock.ts';
import { formatInstant } from '../../lib/instant.ts';

export interface InventoryItemView {
  petId: number;
  quantity: number;
  reserved: number;
  available: number;
  status: PetStatus;
}

export type MovementView = Omit<MovementRecord, 'at'> & { at: string };

export function inventoryItemView({ petId, stock }: StockRecord): InventoryItemView {
  const { quantity, reserved } = stock;
  return { petId, quantity, reserved, available: availableOf(stock), status: statusOf(stock) };
}

export function movementView(record: MovementRecord): MovementView {
  return { ...record, at: formatInstant(record.at) };
}
