import type { PetStatus, Stock } from './stock.ts';
import { availableOf, statusOf } from './stock.ts';

export interface InventoryItem {
  petId: number;
  quantity: number;
  reserved: number;
  available: number;
  status: PetStatus;
}

export const movementCauses = [
  'created',
  'set',
  'adjusted',
  'reserved',
  'released',
  'fulfilled',
  'sold',
] as const;
export type MovementCause = (typeof movementCauses)[number];

/** One row of the ledger: a change of quantity or reserved, the key that made it, and the reason. */
export interface Movement {
  id: number;
  petId: number;
  cause: MovementCause;
  quantityBefore: number;
  quantityAfter: number;
  reservedBefore: number;
  reservedAfter: number;
  orderId?: number;
  reason?: string;
  reference?: string;
  keyId?: string;
  at: string;
}

export function inventoryItemOf(petId: number, stock: Stock): InventoryItem {
  const { quantity, reserved } = stock;
  return { petId, quantity, reserved, available: availableOf(stock), status: statusOf(stock) };
}
