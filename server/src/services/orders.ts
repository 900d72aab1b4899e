import type { Transaction } from '../datastore/datastore.ts';
import { Conflict } from '../datastore/failures.ts';
import { invalidField, notFound } from '../domain/errors.ts';
import {
  type NewOrder,
  type OrderPatch,
  type OrderRecord,
  orderComplete,
  patchOrder,
} from '../domain/order.ts';
import { changeReservation, fulfil, reserve } from '../domain/stock.ts';
import type { Change, RecordChange } from './change.ts';

export async function placeOrder(
  tx: Transaction,
  { caller, order, now }: Change & { order: NewOrder },
): Promise<OrderRecord> {
  const { workspaceId, keyId } = caller;
  const why = { keyId, at: now };
  const id = await tx.orders.place(workspaceId, order, why);
  if (id !== undefined) return { id, ...order };
  // The statement placed nothing. The rule, over the locked row, throws the reason. If it throws nothing, stock
  // has become available in between, and the second attempt succeeds.
  const pet = await tx.pets.findAndLock(workspaceId, order.petId);
  if (!pet) throw invalidField('petId', 'names no pet of this workspace');
  reserve(pet, order.quantity);
  const second = await tx.orders.place(workspaceId, order, why);
  if (second === undefined) throw new Conflict('stock changed under a lock');
  return { id: second, ...order };
}

export async function updateOrder(
  tx: Transaction,
  { caller, id, patch, checkMatch, now }: RecordChange<OrderRecord> & { patch: OrderPatch },
): Promise<OrderRecord> {
  const before = await getOrder(tx, caller.workspaceId, id);
  checkMatch(before);
  const after = patchOrder(before, patch);
  if (before.complete || Object.keys(patch).length === 0) return before;
  await moveStock(tx, { before, after, keyId: caller.keyId, now });
  if (!(await tx.orders.update(caller.workspaceId, after))) throw new Conflict('order changed');
  return after;
}

export async function cancelOrder(
  tx: Transaction,
  { caller, id, checkMatch, now }: RecordChange<OrderRecord>,
): Promise<void> {
  const order = await getOrder(tx, caller.workspaceId, id);
  checkMatch(order);
  if (order.complete) throw orderComplete(id);
  if (!(await tx.orders.delete(caller.workspaceId, id))) throw new Conflict('order changed');
  const { petId, quantity } = order;
  const stock = await tx.inventory.lockStock(petId);
  const why = { cause: 'released', orderId: id, keyId: caller.keyId, at: now } as const;
  await tx.inventory.change(petId, stock, changeReservation({ id: petId, stock }, -quantity), why);
}

/** A new quantity and a completion in one patch are two steps, each with its own ledger row. */
async function moveStock(
  tx: Transaction,
  change: { before: OrderRecord; after: OrderRecord; keyId: string; now: number },
): Promise<void> {
  const { before, after, keyId, now } = change;
  const { id: orderId, petId } = before;
  const difference = after.quantity - before.quantity;
  if (difference === 0 && !after.complete) return;
  const why = { orderId, keyId, at: now };
  const stock = await tx.inventory.lockStock(petId);
  const reserved = changeReservation({ id: petId, stock }, difference);
  const cause = difference > 0 ? 'reserved' : 'released';
  await tx.inventory.change(petId, stock, reserved, { ...why, cause });
  if (!after.complete) return;
  const fulfilled = fulfil(reserved, after.quantity);
  await tx.inventory.change(petId, reserved, fulfilled, { ...why, cause: 'fulfilled' });
}

/** The order, locked until the transaction ends. */
async function getOrder(tx: Transaction, workspaceId: number, id: number): Promise<OrderRecord> {
  const order = await tx.orders.findAndLock(workspaceId, id);
  if (!order) throw notFound('order', id);
  return order;
}
