import type { Transaction } from '../../datastore/datastore.ts';
import { decideRows, type RowDecision } from '../../domain/batch.ts';
import type { ErrorDetails, MovementFact } from '../../domain/errors/error-details.ts';
import { invalidField, Refusal } from '../../domain/errors.ts';
import type { MovementRecord } from '../../domain/inventory.ts';
import {
  adjustQuantity,
  expectQuantity,
  type Stock,
  type StockedPet,
  setQuantity,
} from '../../domain/stock.ts';
import { formatInstant } from '../../lib/instant.ts';
import { ADJUSTED, type Note, noteOf } from '../inventory.ts';
import { moveStock } from '../stock.ts';
import { type Batch, petIdsOf, refuseAnyOfStock } from './batch.ts';

/** A new count of a pet, or units to add or remove. */
export type StockBatchRow = Note & { petId: number; expected?: number } & (
    | { quantity: number }
    | { delta: number }
  );

/** No movement: the count is what it was. */
type StockOutcome = { movement?: MovementRecord } | { refusal: Refusal };

/** Changes the stock of many pets in a few statements. The outcomes are in the order of the rows. */
export async function setStock(
  tx: Transaction,
  batch: Batch<StockBatchRow>,
): Promise<StockOutcome[]> {
  const { caller, rows, isAllOrNothing } = batch;
  refuseRepeated(rows);
  const stocks = await tx.stock.lockMany(caller.workspaceId, petIdsOf(rows));
  const decided = decideRows(rows, stocks, applyRow);
  const decisions = await explained(tx, batch, decided);
  if (isAllOrNothing) refuseAnyOfStock(decisions, 'items', rows);
  const movements = await write(tx, batch, decisions);
  return decisions.map((decision, at) => {
    if ('refusal' in decision) return decision;
    const movement = movements.get(at);
    return movement ? { movement } : {};
  });
}

function applyRow(pet: StockedPet, row: StockBatchRow): Stock {
  expectQuantity(pet, row.expected);
  return 'delta' in row ? adjustQuantity(pet, row.delta) : setQuantity(pet, row.quantity);
}

/** How many conflicts of one batch say what came between, how many rows of the ledger each looks at, and how many it shows. */
const EXPLAINED_MAX = 100;
const LEDGER_ROWS_MAX = 50;
const MOVEMENTS_MAX = 5;

/** Refusals of counts that have changed, with the rows of the ledger since. */
async function explained(
  tx: Transaction,
  { caller, rows }: Batch<StockBatchRow>,
  decisions: readonly RowDecision[],
): Promise<RowDecision[]> {
  const result = [...decisions];
  let left = EXPLAINED_MAX;
  for (const [index, decision] of decisions.entries()) {
    if (left === 0 || !('refusal' in decision)) continue;
    const { code, message, details } = decision.refusal;
    if (code !== 'stock_changed') continue;
    left--;
    const facts = details as ErrorDetails['stock_changed'];
    const { petId } = rows[index] as StockBatchRow;
    const place = { workspaceId: caller.workspaceId, petId, expected: facts.expected };
    const movements = await movementsSince(tx, place);
    const refusal = new Refusal(code, { message, details: { ...facts, movements } });
    result[index] = { ...decision, refusal };
  }
  return result;
}

/**
 * The rows that changed the count from what was expected, the latest first. Orders that only reserve units are left out: of a
 * pet in demand, there are many.
 */
async function movementsSince(
  tx: Transaction,
  { workspaceId, petId, expected }: { workspaceId: number; petId: number; expected: number },
): Promise<MovementFact[]> {
  const page = { limit: LEDGER_ROWS_MAX, sort: '-id' } as const;
  const { items } = await tx.ledger.list(workspaceId, { petId }, page);
  const changes = items.filter((row) => row.quantityBefore !== row.quantityAfter);
  const first = changes.findIndex(({ quantityBefore }) => quantityBefore === expected);
  const since = first === -1 ? changes : changes.slice(0, first + 1);
  return since
    .slice(0, MOVEMENTS_MAX)
    .map(({ id, cause, quantityBefore, quantityAfter, orderId, at }) => {
      const fact = { id, cause, quantityBefore, quantityAfter, at: formatInstant(at) };
      return orderId === undefined ? fact : { ...fact, orderId };
    });
}

/** Two counts of one pet contradict each other, so none of the batch can be trusted, in any mode. */
function refuseRepeated(rows: Batch<StockBatchRow>['rows']): void {
  const seen = new Map<number, number>();
  for (const [at, row] of rows.entries()) {
    if (row instanceof Refusal) continue;
    const first = seen.get(row.petId);
    if (first !== undefined) {
      throw invalidField(`items.${at}.petId`, `is the same pet as in items.${first}`);
    }
    seen.set(row.petId, at);
  }
}

/** The movements by the index of their row. */
async function write(
  tx: Transaction,
  { caller, rows, now }: Batch<StockBatchRow>,
  decisions: readonly RowDecision[],
): Promise<Map<number, MovementRecord>> {
  const moved = decisions.flatMap((decision, index) =>
    'refusal' in decision || decision.after.quantity === decision.before.quantity
      ? []
      : [{ index, row: rows[index] as StockBatchRow, ...decision }],
  );
  const moves = moved.map(({ row, before, after }) => {
    const cause = 'delta' in row ? 'adjusted' : 'set';
    const { petId } = row;
    return { petId, before, after, cause, ...noteOf(row), events: ADJUSTED } as const;
  });
  const movements = await moveStock(tx, { caller, now }, moves);
  return new Map(moved.map(({ index }, at) => [index, movements[at]!]));
}
