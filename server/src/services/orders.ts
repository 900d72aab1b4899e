import type { Transaction } from '../datastore/datastore.ts';
import { Conflict } from '../datastore/failures.ts';
import { invalidField, notFound } from '../domain/errors.ts';
import type { NewEvent } from '../domain/event.ts';
import type { MovementRecord } from '../domain/inventory.ts';
import {
  checkExpiry,
  type NewOrder,
  type OrderPatch,
  type OrderRecord,
  orderComplete,
  patchOrder,
} from '../domain/order.ts';
import { availableOf, changeReservation, fulfil, reserve, type Stock } from '../domain/stock.ts';
import type { Change, RecordChange } from './change.ts';
import { changedFields, stockEvents } from './events/emit.ts';
import { expireOverdue } from './expiry.ts';

export async function placeOrder(
  tx: Transaction,
  { caller, order, now }: Change & { order: NewOrder },
): Promise<OrderRecord> {
  checkExpiry(order, now);
  const { workspaceId, keyId } = caller;
  const origin = { keyId, at: now, lowStockAt: caller.lowStockAt };
  const id = await tx.orders.place(workspaceId, order, origin);
  if (id !== undefined) return { id, ...order, createdAt: now };
  // The statement placed nothing. Orders whose time has come must not keep their units from this one, so they are ended
  // first. Then the rule, over the locked row, throws the reason. If it throws nothing, stock has become available, and
  // the second attempt succeeds.
  await expireOverdue(tx, { workspaceId, petIds: [order.petId] }, now);
  const pet = await tx.pets.findAndLock(workspaceId, order.petId);
  if (!pet) throw invalidField('petId', 'names no pet of this workspace');
  reserve(pet, order.quantity);
  const second = await tx.orders.place(workspaceId, order, origin);
  if (second === undefined) throw new Conflict('stock changed under a lock');
  return { id: second, ...order, createdAt: now };
}

export async function updateOrder(
  tx: Transaction,
  { caller, id, patch, checkMatch, now }: RecordChange<OrderRecord> & { patch: OrderPatch },
): Promise<OrderRecord> {
  checkExpiry(patch, now);
  const before = await lockOrder(tx, caller.workspaceId, id);
  checkMatch(before);
  const after = patchOrder(before, patch);
  if (before.complete || Object.keys(patch).length === 0) return before;
  const events = await moveStock(tx, { before, after, caller, now });
  if (!(await tx.orders.update(caller.workspaceId, after))) throw new Conflict('order changed');
  await tx.events.append(caller.workspaceId, events);
  return after;
}

export async function cancelOrder(
  tx: Transaction,
  { caller, id, checkMatch, now }: RecordChange<OrderRecord>,
): Promise<void> {
  const order = await lockOrder(tx, caller.workspaceId, id);
  checkMatch(order);
  if (order.complete) throw orderComplete(id);
  if (!(await tx.orders.delete(caller.workspaceId, id))) throw new Conflict('order changed');
  const { petId, quantity } = order;
  const stock = await tx.inventory.lockStock(petId);
  const origin = { cause: 'released', orderId: id, keyId: caller.keyId, at: now } as const;
  const after = changeReservation({ id: petId, stock }, -quantity);
  const movement = (await tx.inventory.change(petId, stock, after, origin))!;
  const step = { movement, before: stock, after };
  const events = stockEvents('order.cancelled', step, { caller, now, data: { order } });
  await tx.events.append(caller.workspaceId, events);
}

type OrderChange = Change & { before: OrderRecord; after: OrderRecord };

/**
 * A new quantity and a completion in one patch are two steps, each with its own ledger row and its own event. Returns the
 * events.
 */
async function moveStock(
  tx: Transaction,
  { before, after, caller, now }: OrderChange,
): Promise<NewEvent[]> {
  const { id: orderId, petId } = before;
  const open = after.complete ? openOf(after, before) : after;
  const changed = changedFields(before, open, ['quantity', 'shipDate', 'expiresAt']);
  if (!changed && !after.complete) return [];
  const origin = { orderId, keyId: caller.keyId, at: now };
  const difference = after.quantity - before.quantity;
  const stock = await lockStockFor(tx, { before, difference, caller, now });
  const reserved = changeReservation({ id: petId, stock }, difference);
  const cause = difference > 0 ? 'reserved' : 'released';
  const moved = await tx.inventory.change(petId, stock, reserved, { ...origin, cause });
  const updated = changed
    ? updateEvents(open, { caller, now, changed, petId, stock, reserved, moved })
    : [];
  if (!after.complete) return updated;
  const fulfilled = fulfil(reserved, after.quantity);
  const done = { ...origin, cause: 'fulfilled' } as const;
  const movement = (await tx.inventory.change(petId, reserved, fulfilled, done))!;
  const step = { movement, before: reserved, after: fulfilled };
  const data = { order: after };
  return [...updated, ...stockEvents('order.fulfilled', step, { caller, now, data })];
}

/** The order between its change and its completion, which takes away its expiry. */
function openOf(after: OrderRecord, { expiresAt }: OrderRecord): OrderRecord {
  return { ...after, complete: false, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

/** Ends the overdue orders of the pet first if the order would otherwise be refused its additional units. */
async function lockStockFor(
  tx: Transaction,
  { before, difference, caller, now }: Change & { before: OrderRecord; difference: number },
): Promise<Stock> {
  const { id, petId } = before;
  const stock = await tx.inventory.lockStock(petId);
  if (difference <= availableOf(stock)) return stock;
  await expireOverdue(tx, { workspaceId: caller.workspaceId, petIds: [petId], except: id }, now);
  return tx.inventory.lockStock(petId);
}

interface Updated extends Change {
  changed: object;
  petId: number;
  stock: Stock;
  reserved: Stock;
  moved: MovementRecord | undefined;
}

/** A change that keeps the quantity has no row in the ledger, so its event keeps the inventory. */
function updateEvents(order: OrderRecord, updated: Updated): NewEvent[] {
  const { caller, now, changed, petId, stock, reserved, moved } = updated;
  const type = 'order.updated';
  if (moved) {
    const step = { movement: moved, before: stock, after: reserved };
    return stockEvents(type, step, { caller, now, data: { order }, earlier: changed });
  }
  const data = { order, inventory: { petId, stock } };
  return [{ type, at: now, keyId: caller.keyId, data, before: changed }];
}

/** The order, locked until the transaction ends. */
async function lockOrder(tx: Transaction, workspaceId: number, id: number): Promise<OrderRecord> {
  const order = await tx.orders.findAndLock(workspaceId, id);
  if (!order) throw notFound('order', id);
  return order;
}
