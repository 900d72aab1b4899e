// The steps of a history, and what they lead to, as the model and the service both show it.

import type { Counts } from './shop.ts';

export type Status = 'available' | 'pending' | 'sold';

/** The pet or order of a step: one of the history, one of another workspace, or an absent one. */
export type Pick = number | 'foreign' | 'absent';

export type Step =
  | { kind: 'createPet'; status: Status | undefined }
  | { kind: 'updatePet'; pet: Pick; status: Status | null | undefined; name: string | undefined }
  | { kind: 'deletePet'; pet: Pick }
  | { kind: 'updateInventory'; pet: Pick; quantity: number }
  | { kind: 'adjustInventory'; pet: Pick; delta: number }
  | {
      kind: 'placeOrder';
      pet: Pick;
      quantity: number;
      complete: boolean;
      shipDate?: number;
      expiresIn?: number;
    }
  | { kind: 'updateOrder'; order: Pick; patch: OrderChange }
  | { kind: 'cancelOrder'; order: Pick; reason: string | undefined }
  | { kind: 'passTime'; ms: number }
  | { kind: 'expireOrders'; pet: Pick }
  /** `row` counts from the first row of the ledger. */
  | { kind: 'undo'; pet: Pick; row: number }
  | { kind: 'placeOrders'; rows: OrderLine[]; isAll: boolean }
  | { kind: 'setStock'; rows: StockLine[]; isAll: boolean };

export interface OrderLine {
  pet: Pick;
  quantity: number;
  complete: boolean;
  expiresIn?: number;
}

export type StockLine = { pet: Pick } & ({ quantity: number } | { delta: number });

export interface OrderChange {
  quantity?: number;
  shipDate?: number | null;
  complete?: boolean;
  /** From the moment of the step. */
  expiresIn?: number | null;
}

/** The outcome of a step. Pets and orders are numbered in the order of their creation. */
export interface Outcome {
  refused?: string;
  /** The facts of a refusal: what is available or reserved, or the field at fault. */
  facts?: Record<string, unknown>;
  value?: unknown;
}

export interface View {
  pets: { pet: number; name: string; status: Status }[];
  items: { pet: number; quantity: number; reserved: number; available: number; status: Status }[];
  orders: ModelOrder[];
}

export interface ModelOrder {
  order: number;
  pet: number;
  quantity: number;
  state: OrderState;
  shipDate?: number;
  /** Milliseconds from the beginning of the history. */
  expiresAt?: number;
  endedAt?: number;
  endReason?: string;
}

export type OrderState = 'open' | 'complete' | 'cancelled' | 'expired';

export type LedgerRow = [...Counts, order?: number];
