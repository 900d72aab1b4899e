import { placeOrder as place } from '../../services/orders.ts';
import { writeOperation } from '../operation.ts';
import { exampleOrder, NewOrder, newOrderOf, Order } from '../schemas/order.ts';
import { created } from '../success.ts';
import { orderView } from '../views/order.ts';

export const placeOrder = writeOperation({
  id: 'placeOrder',
  method: 'POST',
  path: '/store/orders',
  tag: 'orders',
  scope: 'write',
  summary: 'Place an order',
  description:
    'Reserves the units, or takes them from the stock if the order is placed with `complete: true`. ' +
    'With `expiresAt`, the order expires within a second of that time if it is still open.',
  body: NewOrder,
  requestExample: { petId: 1, quantity: 1, shipDate: '2026-12-24T10:00:00Z' },
  events: ['order.placed', 'order.fulfilled', 'inventory.low', 'order.expired'],
  success: created(Order, 'The order that was placed.', ({ id }) => `/store/orders/${id}`),
  errors: ['pet_on_hold', 'insufficient_stock'],
  example: exampleOrder,
  handle: async ({ caller, body, now }, tx) =>
    orderView(await place(tx, { caller, order: newOrderOf(body), now })),
});
