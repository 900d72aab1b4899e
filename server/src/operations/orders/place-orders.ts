import { placeOrders as place } from '../../services/batches/order-batches.ts';
import { writeOperation } from '../operation.ts';
import { batchCost } from '../schemas/batches/batch.ts';
import {
  OrderBatch,
  OrderBatchFrame,
  OrderBatchResult,
  orderRowOf,
} from '../schemas/batches/order-batch.ts';
import { exampleOrder } from '../schemas/order.ts';
import { value } from '../success.ts';
import { batchErrorView, orderBatchPreview } from '../views/batch.ts';
import { orderView } from '../views/order.ts';

export const placeOrders = writeOperation({
  id: 'placeOrders',
  method: 'POST',
  path: '/store/orders/batch',
  tag: 'orders',
  scope: 'write',
  stability: 'experimental',
  summary: 'Place up to 100 orders',
  description:
    'Mode `all`, the default: places every order or none. The orders are counted together, and the first that does not fit refuses the batch: `details` has its `index`, its `petId` and the units `available` to it. Mode `each`: each order by itself, in order. The orders of one cart share a `reference`.',
  body: OrderBatch,
  bodyToCheck: OrderBatchFrame,
  requestExample: { orders: [{ petId: 1, quantity: 1 }], mode: 'all' },
  cost: ({ orders }) => batchCost(orders),
  events: ['order.placed', 'order.fulfilled', 'inventory.low', 'order.expired'],
  success: value(
    OrderBatchResult,
    'The outcome of each row, in the order of the rows.',
    orderBatchPreview,
  ),
  errors: ['pet_on_hold', 'insufficient_stock'],
  example: { placed: 1, refused: 0, results: [{ order: exampleOrder }] },
  handle: async ({ caller, body, now }, tx) => {
    const isAllOrNothing = (body.mode ?? 'all') === 'all';
    const rows = body.orders.map(orderRowOf);
    const outcomes = await place(tx, { caller, rows, isAllOrNothing, now });
    const refused = outcomes.filter((outcome) => 'refusal' in outcome).length;
    const results = outcomes.map((outcome) =>
      'refusal' in outcome
        ? { error: batchErrorView(outcome.refusal) }
        : { order: orderView(outcome.order) },
    );
    return { placed: outcomes.length - refused, refused, results };
  },
});
