import { cancelOrder as cancel } from '../../services/orders.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { empty } from '../success.ts';
import { orderView } from '../views/order.ts';

export const cancelOrder = writeOperation({
  id: 'cancelOrder',
  method: 'DELETE',
  path: '/store/orders/{orderId}',
  tag: 'orders',
  scope: 'write',
  summary: 'Cancel an order',
  description: 'Releases its units. A complete order cannot be cancelled.',
  stability: 'beta',
  params: { orderId: pathId('ID of the order.') },
  takesIfMatch: true,
  events: ['order.cancelled'],
  success: empty('The order is cancelled and its units are available again.'),
  errors: ['order_complete'],
  handle: ({ caller, params, checkMatch, now }, tx) =>
    cancel(tx, {
      caller,
      id: params.orderId,
      checkMatch: (order) => checkMatch(orderView(order)),
      now,
    }),
});
