// What batches of orders and batches of counts share: rows that are all done or none, and the writing of what was decided.

import type { Transaction } from '../../datastore/datastore.ts';
import type { StockChange } from '../../datastore/ledger/stock-batches.ts';
import type { RowDecision } from '../../domain/batch.ts';
import { type FieldFault, Refusal } from '../../domain/errors.ts';
import type { MovementRecord } from '../../domain/inventory.ts';
import { availableOf } from '../../domain/stock.ts';
import type { Change } from '../change.ts';
import type { StockStep } from '../events/emit.ts';

export type BatchRow<R> = R | Refusal;

export interface Batch<R> extends Change {
  /** Rows whose checks have failed are refusals already. */
  rows: readonly BatchRow<R>[];
  /** One refused row refuses the batch. If false, refused rows are skipped and their outcomes say why. */
  isAllOrNothing: boolean;
}

/** Where the rows are in the body, for messages that name one. */
interface Place<R> {
  field: string;
  rows: readonly BatchRow<R>[];
}

export function petIdsOf(rows: readonly BatchRow<{ petId: number }>[]): number[] {
  const ids = rows.flatMap((row) => (row instanceof Refusal ? [] : [row.petId]));
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** Throws if any row is refused: a 400 that names every invalid row, else the first refusal with its place. */
export function refuseAny<R extends { petId: number }>(
  decisions: readonly RowDecision[],
  { field, rows }: Place<R>,
): void {
  const refused = decisions.flatMap((decision, index) =>
    'refusal' in decision ? [{ ...decision, index }] : [],
  );
  const faults = refused.flatMap(({ refusal, index }) => faultsOf(refusal, `${field}.${index}`));
  if (faults.length > 0) {
    const first = faults[0]!;
    const message = `${first.field} ${first.message}; nothing was changed.`;
    throw new Refusal('invalid_request', { message, details: faults });
  }
  const first = refused[0];
  if (!first) return;
  const { refusal, stock, index } = first;
  const { petId } = rows[index] as R;
  throw new Refusal(refusal.code, {
    message: `${field}.${index}: ${refusal.message} Nothing was changed.`,
    details: { ...refusal.details, index, petId, available: availableOf(stock!) },
  });
}

function faultsOf({ code, details }: Refusal, place: string): FieldFault[] {
  if (code !== 'invalid_request') return [];
  return (details as readonly FieldFault[]).map(({ field, message }) => {
    return { field: field === 'body' ? place : `${place}.${field}`, message };
  });
}

type PlannedStep = StockChange & Omit<MovementRecord, 'id' | CountField>;
type CountField = 'quantityBefore' | 'quantityAfter' | 'reservedBefore' | 'reservedAfter';

/** Writes the new stock of each pet once and a row of the ledger for each step. The steps are in the given order. */
export async function writeSteps(
  tx: Transaction,
  planned: readonly PlannedStep[],
): Promise<StockStep[]> {
  await tx.batches.changeStocks(wholeChanges(planned));
  const rows = planned.map(({ before, after, ...row }) => ({
    ...row,
    quantityBefore: before.quantity,
    quantityAfter: after.quantity,
    reservedBefore: before.reserved,
    reservedAfter: after.reserved,
  }));
  const ids = await tx.batches.insertMovements(rows);
  return planned.map(({ before, after }, at) => {
    return { movement: { id: ids[at]!, ...rows[at]! }, before, after };
  });
}

/** What all steps together make of each pet. */
function wholeChanges(steps: readonly StockChange[]): StockChange[] {
  const changes = new Map<number, StockChange>();
  for (const { petId, before, after } of steps) {
    changes.set(petId, { petId, before: changes.get(petId)?.before ?? before, after });
  }
  return [...changes.values()];
}
