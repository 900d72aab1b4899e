import type { Transaction } from '../../datastore/datastore.ts';
import { decideRows, type RowDecision } from '../../domain/batch.ts';
import { Refusal } from '../../domain/errors.ts';
import { fieldsNotInLedger, type NewEvent } from '../../domain/event.ts';
import { checkExpiry, type NewOrder, type OrderRecord } from '../../domain/order.ts';
import { fulfil, reserve, type Stock, type StockedPet } from '../../domain/stock.ts';
import { type StockStep, stockEvents } from '../events/emit.ts';
import { expireOverdue } from '../expiry.ts';
import { type Batch, type BatchRow, petIdsOf, refuseAny, writeSteps } from './batch.ts';

type OrderOutcome = { order: OrderRecord } | { refusal: Refusal };

/** Places the orders of a batch in a few statements, however many they are. The outcomes are in the order of the rows. */
export async function placeOrders(
  tx: Transaction,
  given: Batch<NewOrder>,
): Promise<OrderOutcome[]> {
  const { isAllOrNothing, now } = given;
  const rows = given.rows.map((row) => withCheckedExpiry(row, now));
  const batch = { ...given, rows };
  const decisions = await decide(tx, batch);
  if (isAllOrNothing) refuseAny(decisions, { field: 'orders', rows });
  const placed = (await write(tx, batch, decisions)).values();
  return decisions.map((decision) =>
    'refusal' in decision ? decision : { order: placed.next().value! },
  );
}

function withCheckedExpiry(row: BatchRow<NewOrder>, now: number): BatchRow<NewOrder> {
  if (row instanceof Refusal) return row;
  try {
    checkExpiry(row, now);
    return row;
  } catch (err) {
    if (err instanceof Refusal) return err;
    throw err;
  }
}

/** Some rows find too few units of these pets. */
class TooFewUnits extends Error {
  readonly petIds: readonly number[];
  constructor(petIds: readonly number[]) {
    super('too few units');
    this.petIds = petIds;
  }
}

/**
 * If units are lacking, the overdue orders of those pets are ended, and all rows are decided anew. An overdue order is
 * locked before its pet, so the locks of the first decision are released before: the failed attempt does that.
 */
async function decide(tx: Transaction, batch: Batch<NewOrder>): Promise<RowDecision[]> {
  const { caller, rows, now } = batch;
  try {
    return await tx.attempt(async () => {
      const decisions = await decideOverLocked(tx, batch);
      const lacking = rows.filter((_, at) => isLacking(decisions[at]!));
      if (lacking.length > 0) throw new TooFewUnits(petIdsOf(lacking));
      return decisions;
    });
  } catch (err) {
    if (!(err instanceof TooFewUnits)) throw err;
    const { workspaceId } = caller;
    const scope = { workspaceId, petIds: err.petIds, lockedPetIds: petIdsOf(rows) };
    await expireOverdue(tx, scope, now);
    return decideOverLocked(tx, batch);
  }
}

function isLacking(decision: RowDecision): boolean {
  return 'refusal' in decision && decision.refusal.code === 'insufficient_stock';
}

/** The pets stay locked, so that what is decided is still so when it is written. */
async function decideOverLocked(
  tx: Transaction,
  { caller, rows }: Batch<NewOrder>,
): Promise<RowDecision[]> {
  const stocks = await tx.batches.lockStocks(caller.workspaceId, petIdsOf(rows));
  return decideRows(rows, stocks, place);
}

function place(pet: StockedPet, { quantity, complete }: NewOrder): Stock {
  const reserved = reserve(pet, quantity);
  return complete ? fulfil(reserved, quantity) : reserved;
}

async function write(
  tx: Transaction,
  { caller, rows, now }: Batch<NewOrder>,
  decisions: readonly RowDecision[],
): Promise<OrderRecord[]> {
  const { workspaceId, keyId } = caller;
  const accepted = decisions.flatMap((decision, at) =>
    'refusal' in decision ? [] : [{ order: rows[at] as NewOrder, ...decision }],
  );
  const orders = accepted.map(({ order }) => order);
  const ids = await tx.batches.insertOrders(workspaceId, orders, now);
  const steps = await writeSteps(
    tx,
    accepted.map(({ order: { petId, complete }, before, after }, at) => {
      const cause = complete ? 'fulfilled' : 'reserved';
      return { petId, before, after, cause, orderId: ids[at]!, keyId, at: now } as const;
    }),
  );
  const events = steps.flatMap((step, at) => placedEvents(orders[at]!, step, { caller, now }));
  await tx.events.append(workspaceId, events);
  return orders.map((order, at) => ({ id: ids[at]!, ...order, createdAt: now }));
}

/** The events of one order, as `orders.place` emits them. */
function placedEvents(
  order: NewOrder,
  step: StockStep,
  change: Pick<Batch<NewOrder>, 'caller' | 'now'>,
): NewEvent[] {
  const data = fieldsNotInLedger(order) ?? {};
  const [placed, ...low] = stockEvents('order.placed', step, { ...change, data });
  const fulfilled = { ...placed!, type: 'order.fulfilled' } as const;
  return [placed!, ...(order.complete ? [fulfilled] : []), ...low];
}
