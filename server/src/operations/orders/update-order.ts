import { parseInstant } from '../../lib/instant.ts';
import { updateOrder as update } from '../../services/orders.ts';
import { record, writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { exampleOrder, Order, OrderPatch, orderView } from '../schemas/order.ts';

export const updateOrder = writeOperation({
  id: 'updateOrder',
  method: 'PATCH',
  path: '/store/orders/{orderId}',
  tag: 'orders',
  scope: 'write',
  summary: 'Change or fulfil an order',
  description: 'Changes an open order; `complete: true` fulfils it, and there is no way back.',
  params: { orderId: pathId('ID of the order.') },
  body: OrderPatch,
  matches: Order,
  success: record(Order, 'The order as it is now.'),
  errors: ['insufficient_stock', 'order_complete'],
  example: exampleOrder,
  handle: async ({ caller, params, body, checkMatch, now }, tx) => {
    const { shipDate, ...rest } = body;
    const patch = {
      ...rest,
      ...(shipDate === undefined ? {} : { shipDate: shipDate && parseInstant(shipDate)! }),
    };
    const check = (order: Parameters<typeof orderView>[0]) => checkMatch(orderView(order));
    return orderView(await update(tx, caller, params.orderId, patch as never, check, now));
  },
});
