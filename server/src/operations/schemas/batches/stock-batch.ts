import { invalidField, type Refusal } from '../../../domain/errors.ts';
import { STOCK_MAX } from '../../../domain/stock.ts';
import type { StockBatchRow } from '../../../services/batches/stock-batches.ts';
import { count, id, object } from '../fields.ts';
import { Adjustment, InventoryUpdate, Movement } from '../inventory.ts';
import { Type } from '../type.ts';
import { BatchError, batchBody, batchFrame, rowChecker } from './batch.ts';

const ITEMS_MAX = 1_000;
const petId = id('ID of the pet; each pet at most once.');

const expected = Type.Optional(
  count(
    'What was on hand when it was counted. If that differs by now, the item is refused.',
    0,
    STOCK_MAX,
  ),
);

const CountedItem = object('CountedItem', { petId, ...InventoryUpdate.properties, expected });
const AdjustedItem = object('AdjustedItem', { petId, ...Adjustment.properties, expected });
const spec = {
  title: 'StockBatch',
  field: 'items',
  row: Type.Unsafe<unknown>({ anyOf: [CountedItem, AdjustedItem] }),
  rowName: 'item',
  rowsMax: ITEMS_MAX,
} as const;

export const StockBatch = batchBody(spec);
export const StockBatchFrame = batchFrame(spec);

const { id: movementId, at, ...movementFields } = Movement.properties;

export const StockBatchResult = object('StockBatchResult', {
  changed: count('Pets whose stock was changed.', 0, ITEMS_MAX),
  unchanged: count('Pets that already had this count.', 0, ITEMS_MAX),
  refused: count('Items that were refused.', 0, ITEMS_MAX),
  results: Type.Array(
    object('StockBatchRow', {
      movement: Type.Optional(
        object(
          'BatchMovement',
          { id: Type.Optional(movementId), ...movementFields, at: Type.Optional(at) },
          { description: 'A Movement; in a dry run without `id` and `at`.' },
        ),
      ),
      error: Type.Optional(BatchError),
    }),
    {
      description:
        'For each item, in order: its movement, or its error; neither if the count did not change.',
    },
  ),
});

const checkCounted = rowChecker(CountedItem);
const checkAdjusted = rowChecker(AdjustedItem);

/** A row of a batch, checked like the body of updateInventory or, with a delta, of adjustInventory. */
export function stockRowOf(row: unknown): StockBatchRow | Refusal {
  const fields: object = typeof row === 'object' && row !== null ? row : {};
  const isAdjusted = 'delta' in fields;
  if (isAdjusted && 'quantity' in fields) {
    return invalidField('delta', 'must not be sent together with quantity');
  }
  return (isAdjusted ? checkAdjusted : checkCounted)(row) as StockBatchRow | Refusal;
}
