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
}

export const STOCK_MAX = 1_000_000_000;

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

export function changeStatus(stock: Stock, to: PetStatus): Stock {
  const from = statusOf(stock);
  if (from === to) return stock;
  if (to === 'sold') {
    if (stock.reserved > 0) {
      throw new Refusal('pet_has_open_orders', { details: { reserved: stock.reserved } });
    }
    return { ...stock, quantity: 0 };
  }
  const isPossible = to === 'pending' ? from !== 'sold' : stock.held && availableOf(stock) > 0;
  if (!isPossible) {
    throw new Refusal('invalid_status_change', {
      message: `The pet is ${from} and cannot become ${to} now.`,
      details: { from, to, quantity: stock.quantity, available: availableOf(stock) },
    });
  }
  return { ...stock, held: to === 'pending' };
}

export function setQuantity(stock: Stock, quantity: number): Stock {
  if (quantity < stock.reserved) {
    throw new Refusal('below_reserved', { details: { reserved: stock.reserved, quantity } });
  }
  return { ...stock, quantity };
}

export function adjustQuantity(stock: Stock, delta: number): Stock {
  const quantity = stock.quantity + delta;
  if (quantity > STOCK_MAX) {
    throw invalidField('delta', `would raise the stock above ${STOCK_MAX}`);
  }
  return setQuantity(stock, quantity);
}

/** Places an order of `units`. The datastore implements the same rule in one conditional statement. */
export function reserve(stock: Stock, units: number): Stock {
  if (stock.held) throw new Refusal('pet_on_hold');
  return changeReservation(stock, units);
}

/** Changes the units that an open order has reserved by `difference`. A hold does not prevent it. */
export function changeReservation(stock: Stock, difference: number): Stock {
  const available = availableOf(stock);
  if (difference > available) {
    throw new Refusal('insufficient_stock', { details: { available } });
  }
  return { ...stock, reserved: stock.reserved + difference };
}

export function fulfil(stock: Stock, units: number): Stock {
  return { ...stock, quantity: stock.quantity - units, reserved: stock.reserved - units };
}
