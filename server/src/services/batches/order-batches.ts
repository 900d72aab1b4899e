import type { Transaction } from '../../datastore/datastore.ts';
import { decideRows, type RowDecision } from '../../domain/batch.ts';
import { Refusal } from '../../domain/errors.ts';
import { checkExpiry, type NewOrder, type OrderRecord, placedOrder } from '../../domain/order.ts';
import { expireOverdue } from '../expiry.ts';
import { placing, stockWith } from '../orders.ts';
import { moveStock } from '../stock.ts';
import { type Batch, type BatchRow, petIdsOf, refuseAnyOfStock } from './batch.ts';

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
  if (isAllOrNothing) refuseAnyOfStock(decisions, 'orders', rows);
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

/** Some rows find too few units. All rows of the same pets want these. */
class TooFewUnits extends Error {
  readonly wanted: ReadonlyMap<number, number>;
  constructor(wanted: ReadonlyMap<number, number>) {
    super('too few units');
    this.wanted = wanted;
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
      if (lacking.length > 0) throw new TooFewUnits(unitsWanted(rows, petIdsOf(lacking)));
      return decisions;
    });
  } catch (err) {
    if (!(err instanceof TooFewUnits)) throw err;
    const { workspaceId } = caller;
    const scope = { workspaceId, wanted: err.wanted, lockedPetIds: petIdsOf(rows) };
    await expireOverdue(tx, scope, now);
    return decideOverLocked(tx, batch);
  }
}

/** How many units the rows want of each of these pets together. */
function unitsWanted(rows: Batch<NewOrder>['rows'], petIds: readonly number[]) {
  const wanted = new Map(petIds.map((petId) => [petId, 0]));
  for (const row of rows) {
    if (row instanceof Refusal) continue;
    const units = wanted.get(row.petId);
    if (units !== undefined) wanted.set(row.petId, units + row.quantity);
  }
  return wanted;
}

function isLacking(decision: RowDecision): boolean {
  return 'refusal' in decision && decision.refusal.code === 'insufficient_stock';
}

/** The pets stay locked, so that what is decided is still so when it is written. */
async function decideOverLocked(
  tx: Transaction,
  { caller, rows }: Batch<NewOrder>,
): Promise<RowDecision[]> {
  const stocks = await tx.stock.lockMany(caller.workspaceId, petIdsOf(rows));
  return decideRows(rows, stocks, stockWith);
}

async function write(
  tx: Transaction,
  { caller, rows, now }: Batch<NewOrder>,
  decisions: readonly RowDecision[],
): Promise<OrderRecord[]> {
  const accepted = decisions.flatMap((decision, at) =>
    'refusal' in decision ? [] : [{ order: rows[at] as NewOrder, stock: decision }],
  );
  const orders = accepted.map(({ order }) => order);
  const ids = await tx.orders.insert(caller.workspaceId, orders, now);
  const placed = orders.map((order, at) => placedOrder(ids[at]!, order, now));
  const moves = placed.map((order, at) => placing(order, accepted[at]!.stock));
  await moveStock(tx, { caller, now }, moves);
  return placed;
}
