import { cancelOrder as cancel } from '../../services/orders.ts';
import { writeOperation } from '../operation.ts';
import { pathId, trimmedText } from '../parameters.ts';
import { empty } from '../success.ts';
import { orderView } from '../views/order.ts';

const REASON_MAX = 200;

export const cancelOrder = writeOperation({
  id: 'cancelOrder',
  method: 'DELETE',
  path: '/store/orders/{orderId}',
  tag: 'orders',
  scope: 'write',
  summary: 'Cancel an order',
  description:
    'Releases its units. The order stays, in the state `cancelled`. An order that has ended cannot be cancelled.',
  stability: 'beta',
  params: { orderId: pathId('ID of the order.') },
  query: { reason: trimmedText('Why it is cancelled, for the order and the ledger.', REASON_MAX) },
  isConditional: true,
  events: ['order.cancelled'],
  success: empty('The order is cancelled and its units are available again.'),
  errors: ['order_complete', 'order_ended'],
  handle: ({ caller, params, query, checkMatch, now }, tx) =>
    cancel(tx, {
      caller,
      id: params.orderId,
      ...query,
      checkMatch: (order) => checkMatch(orderView(order)),
      now,
    }),
});
