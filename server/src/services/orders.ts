import type { Transaction } from '../datastore/datastore.ts';
import { Conflict } from '../datastore/failures.ts';
import { invalidField, Refusal } from '../domain/errors.ts';
import type { Caller } from '../domain/key.ts';
import { type NewOrder, type OrderPatch, type OrderRecord, patchOrder } from '../domain/order.ts';
import { changeReservation, fulfil, reserve } from '../domain/stock.ts';
import type { CheckMatch } from './pets.ts';

export async function placeOrder(
  tx: Transaction,
  caller: Caller,
  order: NewOrder,
  now: number,
): Promise<OrderRecord> {
  const why = { keyId: caller.keyId, at: now };
  const id = await tx.orders.place(caller.workspaceId, order, why);
  if (id !== undefined) return { id, ...order };
  // The statement said no. The rule, over the locked row, says why; or that it is possible by now.
  const pet = await tx.pets.findAndLock(caller.workspaceId, order.petId);
  if (!pet) throw invalidField('petId', 'names no pet of this workspace');
  reserve(pet.stock, order.quantity);
  const second = await tx.orders.place(caller.workspaceId, order, why);
  if (second === undefined) throw new Conflict('stock changed under a lock');
  return { id: second, ...order };
}

export async function updateOrder(
  tx: Transaction,
  caller: Caller,
  id: number,
  patch: OrderPatch,
  checkMatch: CheckMatch<OrderRecord>,
  now: number,
): Promise<OrderRecord> {
  const before = await getOrder(tx, caller, id);
  checkMatch(before);
  const after = patchOrder(before, patch);
  if (before.complete || Object.keys(patch).length === 0) return before;
  await moveStock(tx, caller, before, after, now);
  if (!(await tx.orders.update(caller.workspaceId, after))) throw new Conflict('order changed');
  return after;
}

export async function cancelOrder(
  tx: Transaction,
  caller: Caller,
  id: number,
  checkMatch: CheckMatch<OrderRecord>,
  now: number,
): Promise<void> {
  const order = await getOrder(tx, caller, id);
  checkMatch(order);
  if (order.complete) throw new Refusal('order_complete');
  if (!(await tx.orders.delete(caller.workspaceId, id))) throw new Conflict('order changed');
  const { petId, quantity } = order;
  const stock = await tx.inventory.lockStock(petId);
  const why = { cause: 'released', orderId: id, keyId: caller.keyId, at: now } as const;
  await tx.inventory.change(petId, stock, changeReservation(stock, -quantity), why);
}

/** A change of quantity and a completion in one patch are two steps, each with its ledger row. */
async function moveStock(
  tx: Transaction,
  caller: Caller,
  before: OrderRecord,
  after: OrderRecord,
  now: number,
): Promise<void> {
  const { id: orderId, petId } = before;
  const difference = after.quantity - before.quantity;
  if (difference === 0 && !after.complete) return;
  const why = { orderId, keyId: caller.keyId, at: now };
  const stock = await tx.inventory.lockStock(petId);
  const reserved = changeReservation(stock, difference);
  const cause = difference > 0 ? 'reserved' : 'released';
  await tx.inventory.change(petId, stock, reserved, { ...why, cause });
  if (!after.complete) return;
  const fulfilled = fulfil(reserved, after.quantity);
  await tx.inventory.change(petId, reserved, fulfilled, { ...why, cause: 'fulfilled' });
}

async function getOrder(tx: Transaction, caller: Caller, id: number): Promise<OrderRecord> {
  const order = await tx.orders.findAndLock(caller.workspaceId, id);
  if (!order) throw new Refusal('not_found');
  return order;
}
