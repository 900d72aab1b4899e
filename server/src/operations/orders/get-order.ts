import { notFound } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { exampleOrder, Order } from '../schemas/order.ts';
import { record } from '../success.ts';
import { orderView } from '../views/order.ts';

export const getOrder = readOperation({
  id: 'getOrder',
  method: 'GET',
  path: '/store/orders/{orderId}',
  tag: 'orders',
  scope: 'read',
  summary: 'Get an order',
  cacheableUntil: 'workspaceWrites',
  params: { orderId: pathId('ID of the order.') },
  success: record(Order, 'The order.'),
  example: exampleOrder,
  handle: async ({ caller, params }, store) => {
    const order = await store.orders.find(caller.workspaceId, params.orderId);
    if (!order) throw notFound('order', params.orderId);
    return orderView(order);
  },
});
