// What batches share: rows that are all done or none.

import type { RowDecision } from '../../domain/batch.ts';
import { type FieldFault, Refusal } from '../../domain/errors.ts';
import { availableOf, type Stock } from '../../domain/stock.ts';
import type { Change } from '../change.ts';

export type BatchRow<R> = R | Refusal;

export interface Batch<R> extends Change {
  /** Rows whose checks have failed are refusals already. */
  rows: readonly BatchRow<R>[];
  /** One refused row refuses the batch. If false, refused rows are skipped and their outcomes say why. */
  isAllOrNothing: boolean;
}

export function petIdsOf(rows: readonly BatchRow<{ petId: number }>[]): number[] {
  const ids = rows.flatMap((row) => (row instanceof Refusal ? [] : [row.petId]));
  return [...new Set(ids)].sort((a, b) => a - b);
}

/**
 * Throws if any row is refused: a 400 that names every invalid row, else the first refusal with its place. `field` is that of
 * the rows in the body, and `factsOf` returns what the details say beside the refusal.
 */
export function refuseAny(
  decisions: readonly (object | { refusal: Refusal })[],
  field: string,
  factsOf: (index: number) => object = () => ({}),
): void {
  const refused = decisions.flatMap((decision, index) =>
    'refusal' in decision ? [{ refusal: decision.refusal, index }] : [],
  );
  const faults = refused.flatMap(({ refusal, index }) => faultsOf(refusal, `${field}.${index}`));
  if (faults.length > 0) {
    const first = faults[0]!;
    const message = `${first.field} ${first.message}; nothing was changed.`;
    throw new Refusal('invalid_request', { message, details: faults });
  }
  const first = refused[0];
  if (!first) return;
  const { refusal, index } = first;
  throw new Refusal(refusal.code, {
    message: `${field}.${index}: ${refusal.message} Nothing was changed.`,
    details: { ...(refusal.details as object), index, ...factsOf(index) } as never,
  });
}

/** The same for rows that are about stock: the details name the pet, and the units that the row has found. */
export function refuseAnyOfStock<R extends { petId: number }>(
  decisions: readonly RowDecision[],
  field: string,
  rows: readonly BatchRow<R>[],
): void {
  refuseAny(decisions, field, (index) => {
    const { petId } = rows[index] as R;
    const { stock } = decisions[index] as { stock: Stock };
    return { petId, available: availableOf(stock) };
  });
}

function faultsOf({ code, details }: Refusal, place: string): FieldFault[] {
  if (code !== 'invalid_request') return [];
  return (details as readonly FieldFault[]).map(({ field, message }) => {
    return { field: field === 'body' ? place : `${place}.${field}`, message };
  });
}
