// The rule of stock, status and orders. `reserved` is the sum of the open orders, and always
// 0 <= reserved <= quantity. The status of a pet and of its inventory item is the same derivation.
// Each function returns the stock after a change, or throws a Refusal.

import { invalidField, Refusal } from './errors.ts';

export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

export interface Stock {
  quantity: number;
  reserved: number;
  held: boolean;
  /** The threshold of this pet for low stock; absent: that of its workspace. */
  lowStockAt?: number;
}

/** A pet as far as the rule needs it; messages name its id. */
export interface StockedPet {
  id: number;
  stock: Stock;
}

export const STOCK_MAX = 1_000_000_000;

/** A list of what is low uses it for pets without a threshold in a workspace without one. No event does. */
export const LOW_STOCK_AT = 2;

export function availableOf(stock: Stock): number {
  return stock.quantity - stock.reserved;
}

export function statusOf(stock: Stock): PetStatus {
  if (stock.quantity === 0) return 'sold';
  return stock.held || availableOf(stock) === 0 ? 'pending' : 'available';
}

/** The stock a new pet starts with. */
export function openingStock(status: PetStatus): Stock {
  return { quantity: status === 'sold' ? 0 : 1, reserved: 0, held: status === 'pending' };
}

export function changeStatus({ id, stock }: StockedPet, to: PetStatus): Stock {
  const from = statusOf(stock);
  if (from === to) return stock;
  if (to === 'sold') {
    if (stock.reserved > 0) throw petHasOpenOrders({ id, stock });
    return { ...stock, quantity: 0 };
  }
  const isPossible = to === 'pending' ? from !== 'sold' : stock.held && availableOf(stock) > 0;
  if (!isPossible) {
    throw new Refusal('invalid_status_change', {
      message: `Pet ${id} is ${from} and cannot become ${to}. ${statusRemedy(from)}`,
      details: { from, to, quantity: stock.quantity, available: availableOf(stock) },
    });
  }
  return { ...stock, held: to === 'pending' };
}

/** The refusal to sell out or delete a pet that has open orders. */
export function petHasOpenOrders({ id, stock: { reserved } }: StockedPet): Refusal {
  return new Refusal('pet_has_open_orders', {
    message: `Pet ${id} has ${unitsText(reserved)} in open orders. Complete or cancel them first.`,
    details: { reserved },
  });
}

export function setQuantity({ id, stock }: StockedPet, quantity: number): Stock {
  const { reserved } = stock;
  if (quantity < reserved) {
    throw new Refusal('below_reserved', {
      message: `Pet ${id} has ${unitsText(reserved)} in open orders, so its stock cannot be ${quantity}. Cancel orders first, or set at least ${reserved}.`,
      details: { reserved, quantity },
    });
  }
  return { ...stock, quantity };
}

/** Refuses a count that was made of another stock: what was sold meanwhile would come back. */
export function expectQuantity({ id, stock: { quantity } }: StockedPet, expected?: number): void {
  if (expected === undefined || quantity === expected) return;
  throw new Refusal('stock_changed', {
    message: `Pet ${id} has ${unitsText(quantity)} on hand, not ${expected} as when it was counted. Count again.`,
    details: { expected, quantity, movements: [] },
  });
}

export function adjustQuantity({ id, stock }: StockedPet, delta: number): Stock {
  const quantity = stock.quantity + delta;
  if (quantity > STOCK_MAX) {
    throw invalidField('delta', `would raise the stock above ${STOCK_MAX}`);
  }
  if (quantity < 0 && stock.reserved === 0) {
    throw new Refusal('below_reserved', {
      message: `Pet ${id} has a stock of ${unitsText(stock.quantity)}. Remove at most ${stock.quantity}.`,
      details: { reserved: 0, quantity },
    });
  }
  return setQuantity({ id, stock }, quantity);
}

/** Places an order of `units`. The datastore implements the same rule in one conditional statement. */
export function reserve(pet: StockedPet, units: number): Stock {
  if (pet.stock.held) {
    throw new Refusal('pet_on_hold', {
      message: `Pet ${pet.id} is on hold and cannot be ordered. Set its status to available first.`,
    });
  }
  return changeReservation(pet, units);
}

/** Changes the units that an open order has reserved by `difference`. A hold does not prevent it. */
export function changeReservation({ id, stock }: StockedPet, difference: number): Stock {
  const available = availableOf(stock);
  if (difference > available) {
    throw new Refusal('insufficient_stock', {
      message: `Pet ${id} has ${unitsText(available)} available, not ${difference}. ${stockRemedy(difference, available)}`,
      details: { available },
    });
  }
  return { ...stock, reserved: stock.reserved + difference };
}

export function fulfil(stock: Stock, units: number): Stock {
  return { ...stock, quantity: stock.quantity - units, reserved: stock.reserved - units };
}

function unitsText(count: number): string {
  return count === 1 ? '1 unit' : `${count} units`;
}

function stockRemedy(needed: number, available: number): string {
  if (available === 0) return 'Restock it first.';
  return `Restock it, or reduce the quantity by ${needed - available}.`;
}

function statusRemedy(from: PetStatus): string {
  if (from === 'sold') return 'Restock it first.';
  return 'All its units are in open orders: restock it or cancel orders.';
}

/**
 * The threshold to which, or below which, the available units fall from above it; undefined if they do not. The threshold of
 * the pet goes before that of its workspace. The datastore implements the same rule in the statement that places an order.
 */
export function crossedThreshold(
  before: Stock,
  after: Stock,
  ofWorkspace: number | undefined,
): number | undefined {
  const lowStockAt = after.lowStockAt ?? ofWorkspace;
  if (lowStockAt === undefined) return undefined;
  const isCrossed = availableOf(before) > lowStockAt && availableOf(after) <= lowStockAt;
  return isCrossed ? lowStockAt : undefined;
}
