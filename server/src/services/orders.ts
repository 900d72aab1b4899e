import type { Transaction } from '../datastore/datastore.ts';
import { Conflict } from '../datastore/failures.ts';
import { invalidField, notFound } from '../domain/errors.ts';
import {
  checkExpiry,
  endOrder,
  isForgettingCustomer,
  type NewOrder,
  type OrderPatch,
  type OrderRecord,
  patchOrder,
  placedOrder,
  refuseEnded,
} from '../domain/order.ts';
import {
  availableOf,
  changeReservation,
  fulfil,
  reserve,
  type Stock,
  type StockedPet,
} from '../domain/stock.ts';
import type { Change, RecordChange } from './change.ts';
import { changedFields } from './events/emit.ts';
import { expireOverdue } from './expiry.ts';
import { type Move, moveStock } from './stock.ts';

/** One statement places the order where the engine can and units are left. The steps end overdue orders first, or refuse it. */
export async function placeOrder(
  tx: Transaction,
  { caller, order, now }: Change & { order: NewOrder },
): Promise<OrderRecord> {
  checkExpiry(order, now);
  const { workspaceId, keyId, lowStockAt, traceparent } = caller;
  const inSteps = () => placeInSteps(tx, { caller, order, now });
  const origin = { keyId, at: now, lowStockAt, traceparent };
  const id = await tx.orders.place(workspaceId, order, origin, inSteps);
  return placedOrder(id, order, now);
}

async function placeInSteps(
  tx: Transaction,
  { caller, order, now }: Change & { order: NewOrder },
): Promise<number> {
  const { workspaceId } = caller;
  const { petId, quantity } = order;
  // Not locked: a pet that changes meanwhile is a conflict, and the unit runs again.
  let pet = await tx.pets.find(workspaceId, petId);
  // Orders whose time has come must not keep their units from this one. They are locked before the pet.
  if (pet && availableOf(pet.stock) < quantity) {
    const wanted = new Map([[petId, quantity]]);
    await expireOverdue(tx, { workspaceId, wanted }, now);
    pet = await tx.pets.findAndLock(workspaceId, petId);
  }
  if (!pet) throw invalidField('petId', 'names no pet of this workspace');
  const after = stockWith(pet, order);
  const [id] = (await tx.orders.insert(workspaceId, [order], now)) as [number];
  const placed = placedOrder(id, order, now);
  await moveStock(tx, { caller, now }, [placing(placed, { before: pet.stock, after })]);
  return id;
}

/** The stock of a pet once an order is placed, or a refusal. */
export function stockWith(pet: StockedPet, { quantity, complete }: NewOrder): Stock {
  const reserved = reserve(pet, quantity);
  return complete ? fulfil(reserved, quantity) : reserved;
}

/** What placing an order does to the stock. */
export function placing(order: OrderRecord, stock: Pick<Move, 'before' | 'after'>): Move {
  const { id: orderId, petId, state } = order;
  const isComplete = state === 'complete';
  const data = { order };
  return {
    petId,
    ...stock,
    cause: isComplete ? 'fulfilled' : 'reserved',
    orderId,
    events: [
      { type: 'order.placed', data },
      ...(isComplete ? [{ type: 'order.fulfilled', data } as const] : []),
    ],
  };
}

export async function updateOrder(
  tx: Transaction,
  { caller, id, patch, checkMatch, now }: RecordChange<OrderRecord> & { patch: OrderPatch },
): Promise<OrderRecord> {
  checkExpiry(patch, now);
  const before = await lockOrder(tx, caller.workspaceId, id);
  checkMatch(before);
  if (Object.keys(patch).length === 0) return before;
  if (isForgettingCustomer(patch) && before.state !== 'open') {
    return forgetCustomer(tx, { caller, now, before });
  }
  refuseEnded(before);
  const open = patchOrder(before, patch);
  const after = patch.complete ? endOrder(open, { state: 'complete', at: now }) : open;
  const moves = await movesOf(tx, { before, open, after, caller, now });
  if (!(await tx.orders.update(caller.workspaceId, after, before)))
    throw new Conflict('order changed');
  await moveStock(tx, { caller, now }, moves);
  return after;
}

/** The name of a customer is personal data, so it can be removed from an order that has ended. */
async function forgetCustomer(
  tx: Transaction,
  { caller, now, before }: Change & { before: OrderRecord },
): Promise<OrderRecord> {
  const { customer, ...order } = before;
  if (customer === undefined) return before;
  await tx.orders.forgetCustomer(caller.workspaceId, before);
  const { id: orderId, petId } = order;
  const stock = await tx.stock.lock(caller.workspaceId, petId);
  const events = [{ type: 'order.updated', data: { order }, before: { customer } } as const];
  const move = { petId, before: stock, after: stock, cause: 'released', orderId, events } as const;
  await moveStock(tx, { caller, now }, [move]);
  return order;
}

export async function cancelOrder(
  tx: Transaction,
  { caller, id, reason, checkMatch, now }: RecordChange<OrderRecord> & { reason?: string },
): Promise<void> {
  const { workspaceId } = caller;
  const open = await lockOrder(tx, workspaceId, id);
  checkMatch(open);
  refuseEnded(open);
  const order = endOrder(open, { state: 'cancelled', at: now, reason });
  if (!(await tx.orders.update(workspaceId, order))) throw new Conflict('order changed');
  const { petId, quantity } = order;
  const stock = await tx.stock.lock(workspaceId, petId);
  const after = changeReservation({ id: petId, stock }, -quantity);
  const events = [{ type: 'order.cancelled', data: { order } } as const];
  const cause = 'released';
  const move = { petId, before: stock, after, cause, orderId: id, reason, events } as const;
  await moveStock(tx, { caller, now }, [move]);
}

const CHANGEABLE = [
  'quantity',
  'shipDate',
  'expiresAt',
  'reference',
  'customer',
  'note',
  'metadata',
] as const;

/** `open` is the order between its change and its completion, and `after` what it is in the end. */
type OrderChange = Change & Record<'before' | 'open' | 'after', OrderRecord>;

/** A new quantity and a completion in one patch are two moves, each with its own ledger row and its own event. */
async function movesOf(
  tx: Transaction,
  { before, open, after, caller, now }: OrderChange,
): Promise<Move[]> {
  const { id: orderId, petId } = before;
  const isCompleted = after.state === 'complete';
  const changed = changedFields(before, open, CHANGEABLE);
  if (!changed && !isCompleted) return [];
  const difference = after.quantity - before.quantity;
  const stock = await lockStockFor(tx, { before, difference, caller, now });
  const reserved = changeReservation({ id: petId, stock }, difference);
  const updating: Move = {
    petId,
    before: stock,
    after: reserved,
    cause: difference > 0 ? 'reserved' : 'released',
    orderId,
    events: [{ type: 'order.updated', data: { order: open }, before: changed }],
  };
  const completing: Move = {
    petId,
    before: reserved,
    after: fulfil(reserved, after.quantity),
    cause: 'fulfilled',
    orderId,
    events: [{ type: 'order.fulfilled', data: { order: after } }],
  };
  return [...(changed ? [updating] : []), ...(isCompleted ? [completing] : [])];
}

/** Ends the overdue orders of the pet first if the order would otherwise be refused its additional units. */
async function lockStockFor(
  tx: Transaction,
  { before, difference, caller, now }: Change & { before: OrderRecord; difference: number },
): Promise<Stock> {
  const { id, petId } = before;
  const { workspaceId } = caller;
  const stock = await tx.stock.lock(workspaceId, petId);
  if (difference <= availableOf(stock)) return stock;
  const wanted = new Map([[petId, difference]]);
  await expireOverdue(tx, { workspaceId, wanted, except: id }, now);
  return tx.stock.lock(workspaceId, petId);
}

/** The order, locked until the transaction ends. */
async function lockOrder(tx: Transaction, workspaceId: number, id: number): Promise<OrderRecord> {
  const order = await tx.orders.findAndLock(workspaceId, id);
  if (!order) throw notFound('order', id);
  return order;
}
