import type { Static } from 'typebox';
import type { FieldFault, Refusal } from '../../domain/errors.ts';
import type { OrderBatchResult } from '../schemas/batches/order-batch.ts';
import type { BatchResult } from '../schemas/batches/pet-batch.ts';
import type { StockBatchResult } from '../schemas/batches/stock-batch.ts';
import type { Shown } from '../success.ts';

/** A dry run shows no pets, because they would have no id. */
export function petBatchPreview({ results, ...counts }: Shown<Static<typeof BatchResult>>) {
  return { ...counts, results: results.map(({ errors }) => ({ errors })) };
}

/** A dry run shows no orders, because they would have no id. */
export function orderBatchPreview({ results, ...counts }: Shown<Static<typeof OrderBatchResult>>) {
  return { ...counts, results: results.map(({ error }) => ({ error })) };
}

/** A dry run shows movements without their id and time, which are assigned only to what is kept. */
export function stockBatchPreview({ results, ...counts }: Shown<Static<typeof StockBatchResult>>) {
  const rows = results.map(({ movement, error }) => {
    if (!movement) return { error };
    const { id: _, at: __, ...rest } = movement;
    return { movement: rest };
  });
  return { ...counts, results: rows };
}

/** The faults of a row of a batch of pets, each with the field that it is about. */
export function rowErrorsView({ code, message, details }: Refusal): FieldFault[] {
  if (code === 'invalid_request') return [...(details as readonly FieldFault[])];
  if (code !== 'reference_taken') return [{ field: 'status', message }];
  const { petId } = details as { petId: number };
  return [{ field: 'reference', message: `is the reference of pet ${petId}` }];
}

export function batchErrorView({ code, message, details }: Refusal) {
  return { code, message, details };
}
