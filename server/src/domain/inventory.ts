import { invalidField, Refusal } from './errors.ts';
import { adjustQuantity, STOCK_MAX, type Stock, type StockedPet } from './stock.ts';

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
  /** The row that this one takes back. */
  reverses?: number;
  /** The row that takes this one back. */
  reversedBy?: number;
}

const reversibleCauses: readonly MovementCause[] = ['set', 'adjusted', 'sold'];

/** The stock once a row of the ledger is taken back and all that came later is kept. */
export function reverse(pet: StockedPet, movement: MovementRecord): Stock {
  const { id, cause, quantityBefore, quantityAfter, reversedBy } = movement;
  const delta = quantityBefore - quantityAfter;
  if (!reversibleCauses.includes(cause) || delta === 0) {
    throw new Refusal('not_reversible', {
      message: `Movement ${id} has the cause ${cause} and cannot be reversed. ${remedyFor(movement)}`,
      details: { cause },
    });
  }
  if (reversedBy !== undefined) {
    throw new Refusal('already_reversed', {
      message: `Movement ${id} was reversed by movement ${reversedBy}. To restore it, reverse that one.`,
      details: { reversedBy },
    });
  }
  if (pet.stock.quantity + delta > STOCK_MAX) {
    throw invalidField('movementId', `cannot be reversed: the stock would exceed ${STOCK_MAX}`);
  }
  return adjustQuantity(pet, delta);
}

function remedyFor({ cause, orderId }: MovementRecord): string {
  if (cause !== 'reserved') return 'Adjust the stock instead.';
  return `Cancel order ${orderId} instead, if it is still open.`;
}
