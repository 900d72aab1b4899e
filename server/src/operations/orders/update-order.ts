import { updateOrder as update } from '../../services/orders.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { readInstant } from '../schemas/fields.ts';
import { exampleOrder, Order, OrderPatch } from '../schemas/order.ts';
import { record } from '../success.ts';
import { orderView } from '../views/order.ts';

export const updateOrder = writeOperation({
  id: 'updateOrder',
  method: 'PATCH',
  path: '/store/orders/{orderId}',
  tag: 'orders',
  scope: 'write',
  summary: 'Change or fulfil an order',
  description:
    'Changes an open order; fields that are absent stay, and `metadata` is merged by key. `complete: true` fulfils it. ' +
    '`expiresAt` sets a later or an earlier expiry, and null removes it. ' +
    'Of an order that has ended, only the name can be removed: `{"customer":null}` alone.',
  params: { orderId: pathId('ID of the order.') },
  body: OrderPatch,
  requestExample: { shipDate: '2026-12-24T10:00:00Z' },
  isConditional: true,
  events: ['order.updated', 'order.fulfilled', 'inventory.low', 'order.expired'],
  success: record(Order, 'The order as it is now.'),
  errors: ['insufficient_stock', 'order_complete', 'order_ended'],
  example: exampleOrder,
  handle: async ({ caller, params, body, checkMatch, now }, tx) => {
    const { shipDate, expiresAt, ...rest } = body;
    const shipping = shipDate === undefined ? {} : { shipDate: readClearable(shipDate) };
    const expiring = expiresAt === undefined ? {} : { expiresAt: readClearable(expiresAt) };
    const order = await update(tx, {
      caller,
      id: params.orderId,
      patch: { ...rest, ...shipping, ...expiring },
      checkMatch: (current) => checkMatch(orderView(current)),
      now,
    });
    return orderView(order);
  },
});

function readClearable(text: string | null): number | null {
  return text === null ? null : readInstant(text);
}
