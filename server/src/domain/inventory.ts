import type { Stock } from './stock.ts';

/** The stock of a pet. */
export interface StockRecord {
  petId: number;
  stock: Stock;
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
export interface MovementRecord {
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
  /** Epoch milliseconds. */
  at: number;
}
