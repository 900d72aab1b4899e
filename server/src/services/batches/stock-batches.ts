import type { Transaction } from '../../datastore/datastore.ts';
import { decideRows, type RowDecision } from '../../domain/batch.ts';
import { invalidField, Refusal } from '../../domain/errors.ts';
import type { MovementRecord } from '../../domain/inventory.ts';
import { adjustQuantity, type Stock, type StockedPet, setQuantity } from '../../domain/stock.ts';
import { ADJUSTED, type Note, noteOf } from '../inventory.ts';
import { moveStock } from '../stock.ts';
import { type Batch, petIdsOf, refuseAny } from './batch.ts';

/** A new count of a pet, or units to add or remove. */
export type StockBatchRow = Note & { petId: number } & ({ quantity: number } | { delta: number });

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
  const decisions = decideRows(rows, stocks, applyRow);
  if (isAllOrNothing) refuseAny(decisions, { field: 'items', rows });
  const movements = await write(tx, batch, decisions);
  return decisions.map((decision, at) => {
    if ('refusal' in decision) return decision;
    const movement = movements.get(at);
    return movement ? { movement } : {};
  });
}

function applyRow(pet: StockedPet, row: StockBatchRow): Stock {
  return 'delta' in row ? adjustQuantity(pet, row.delta) : setQuantity(pet, row.quantity);
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
