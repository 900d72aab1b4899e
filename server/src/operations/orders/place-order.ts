import { parseInstant } from '../../lib/instant.ts';
import { placeOrder as place } from '../../services/orders.ts';
import { created, writeOperation } from '../operation.ts';
import { exampleOrder, NewOrder, Order, orderView } from '../schemas/order.ts';

export const placeOrder = writeOperation({
  id: 'placeOrder',
  method: 'POST',
  path: '/store/orders',
  tag: 'orders',
  scope: 'write',
  summary: 'Place an order',
  description: 'Reserves the units at once, or is refused. An order placed complete takes them.',
  body: NewOrder,
  success: created(Order, 'The order that was placed.', ({ id }) => `/store/orders/${id}`),
  errors: ['pet_on_hold', 'insufficient_stock'],
  example: exampleOrder,
  handle: async ({ caller, body, now }, tx) => {
    const { petId, quantity = 1, complete = false } = body;
    const shipDate = body.shipDate === undefined ? undefined : parseInstant(body.shipDate);
    const order = { petId, quantity, complete, ...(shipDate === undefined ? {} : { shipDate }) };
    return orderView(await place(tx, caller, order, now));
  },
});
