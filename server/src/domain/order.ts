import { DAY_MS } from './durations.ts';
import { invalidField, Refusal } from './errors.ts';
import { mergePatch } from './merge-patch.ts';
import { type Metadata, type MetadataPatch, mergeMetadata } from './metadata.ts';

export const ORDER_QUANTITY_MAX = 1_000_000;
export const EXPIRY_DAYS_MAX = 30;

export const orderStates = ['open', 'complete', 'cancelled', 'expired'] as const;
export type OrderState = (typeof orderStates)[number];

/** What a shop notes about an order, all optional. */
export interface OrderDetails {
  /** Its number in a system of the client; several orders may share one. */
  reference?: string;
  /** Whose order it is, for people to read. Personal data: it is in no log and no metric. */
  customer?: string;
  note?: string;
  metadata?: Metadata;
}

export interface NewOrder extends OrderDetails {
  petId: number;
  quantity: number;
  /** Epoch milliseconds. */
  shipDate?: number;
  complete: boolean;
  /** Epoch milliseconds: when the order is cancelled if it is still open. Only an open order has one. */
  expiresAt?: number;
}

export interface OrderRecord extends Omit<NewOrder, 'complete'> {
  id: number;
  state: OrderState;
  /** Epoch milliseconds. */
  createdAt: number;
  /** Epoch milliseconds: when it was completed, cancelled or expired. An open order has none. */
  endedAt?: number;
  /** Why it was cancelled or expired. */
  endReason?: string;
}

export interface OrderPatch {
  quantity?: number;
  /** Epoch milliseconds; null clears it. */
  shipDate?: number | null;
  complete?: boolean;
  /** Epoch milliseconds; null keeps the order until it is completed or cancelled. */
  expiresAt?: number | null;
  /** Null clears each of these. */
  reference?: string | null;
  customer?: string | null;
  note?: string | null;
  metadata?: MetadataPatch;
}

/** Refuses an expiry that is not ahead, is too far ahead, or is given to an order that becomes complete. */
export function checkExpiry({ expiresAt, complete }: OrderPatch, now: number): void {
  if (expiresAt === undefined) return;
  if (complete) throw invalidField('expiresAt', 'must be absent when complete is true');
  if (expiresAt === null) return;
  if (expiresAt <= now) throw invalidField('expiresAt', 'must be later than now');
  if (expiresAt > now + EXPIRY_DAYS_MAX * DAY_MS) {
    throw invalidField('expiresAt', `must be within ${EXPIRY_DAYS_MAX} days from now`);
  }
}

/** The order that is placed. One that is placed complete has ended with that. */
export function placedOrder(id: number, newOrder: NewOrder, at: number): OrderRecord {
  const { complete, metadata: pairs, ...order } = newOrder;
  const metadata = mergeMetadata(undefined, pairs);
  const open: OrderRecord = {
    id,
    ...order,
    state: 'open',
    createdAt: at,
    ...(metadata && { metadata }),
  };
  return complete ? endOrder(open, { state: 'complete', at }) : open;
}

interface OrderEnd {
  state: Exclude<OrderState, 'open'>;
  at: number;
  reason?: string | undefined;
}

/** The order once it has ended. */
export function endOrder(order: OrderRecord, { state, at, reason }: OrderEnd): OrderRecord {
  const { expiresAt: _, ...rest } = order;
  const why = reason === undefined ? {} : { endReason: reason };
  return { ...rest, state, endedAt: at, ...why };
}

/** The open order with the changes of the patch, but for its completion. */
export function patchOrder(order: OrderRecord, patch: OrderPatch): OrderRecord {
  const { complete: _, metadata: pairs, ...fields } = patch;
  return mergePatch(order, { ...fields, metadata: mergeMetadata(order.metadata, pairs) ?? null });
}

/** Whether a patch removes the name of the customer and does nothing else. Any order can be asked for that. */
export function isForgettingCustomer(patch: OrderPatch): boolean {
  return patch.customer === null && Object.keys(patch).length === 1;
}

/** Refuses to change or cancel an order that has ended. */
export function refuseEnded({ id, state }: OrderRecord): void {
  if (state === 'open') return;
  const message = `Order ${id} is ${state} and can no longer change. Place a new order.`;
  if (state === 'complete') throw new Refusal('order_complete', { message });
  throw new Refusal('order_ended', { message, details: { state } });
}
