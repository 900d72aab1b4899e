import type { Static } from 'typebox';
import { Refusal } from '../../../domain/errors.ts';
import type { NewOrder as NewOrderInput } from '../../../domain/order.ts';
import { count, object } from '../fields.ts';
import { NewOrder, newOrderOf, Order } from '../order.ts';
import { Type } from '../type.ts';
import { BatchError, batchBody, batchFrame, rowChecker } from './batch.ts';

const ORDERS_MAX = 100;
const spec = {
  title: 'OrderBatch',
  field: 'orders',
  row: NewOrder,
  rowName: 'NewOrder',
  rowsMax: ORDERS_MAX,
} as const;

export const OrderBatch = batchBody(spec);
export const OrderBatchFrame = batchFrame(spec);

export const OrderBatchResult = object('OrderBatchResult', {
  placed: count('Orders that were placed.', 0, ORDERS_MAX),
  refused: count('Orders that were refused.', 0, ORDERS_MAX),
  results: Type.Array(
    object('OrderBatchRow', { order: Type.Optional(Order), error: Type.Optional(BatchError) }),
    {
      description: 'For each row, in order: the order, or its error. A dry run shows errors only.',
    },
  ),
});

const checkRow = rowChecker(NewOrder);

/** A row of a batch, checked like the body of placeOrder. */
export function orderRowOf(row: unknown): NewOrderInput | Refusal {
  const checked = checkRow(row);
  return checked instanceof Refusal ? checked : newOrderOf(checked as Static<typeof NewOrder>);
}
