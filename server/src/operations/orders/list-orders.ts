import { mapPage } from '../../datastore/list.ts';
import { orderStates } from '../../domain/order.ts';
import { readOperation } from '../operation.ts';
import { bool, instant, oneOf, queryId, repeated, text, words } from '../parameters.ts';
import { exampleOrder, Order } from '../schemas/order.ts';
import { listOf } from '../success.ts';
import { orderView } from '../views/order.ts';

export const listOrders = readOperation({
  id: 'listOrders',
  method: 'GET',
  path: '/store/orders',
  tag: 'orders',
  scope: 'read',
  summary: 'List orders',
  cacheableUntil: 'workspaceWrites',
  query: {
    petId: queryId('Only orders of this pet.'),
    state: repeated(
      oneOf(
        'Only orders in this state; may be repeated. Without it: open and complete ones.',
        orderStates,
      ),
      orderStates.length,
    ),
    complete: bool('Only orders that are complete, or only those that are open.'),
    shipDateFrom: instant('Only orders that ship at this time or later.'),
    shipDateTo: instant('Only orders that ship at this time or earlier.'),
    createdFrom: instant('Only orders that were placed at this time or later.'),
    createdTo: instant('Only orders that were placed before this time.'),
    reference: text('Only orders with exactly this reference.', 100),
    customer: words('Only orders with these words in their customer.'),
    q: words('Only orders with these words in their customer or their reference.'),
    expiresBefore: instant('Only open orders that expire at this time or earlier.'),
  },
  list: { sorts: ['id', 'shipDate'] },
  success: listOf(Order, 'The orders, one page at a time.'),
  example: [exampleOrder],
  handle: async ({ caller, query, page }, store) => {
    const { q: words, customer: customerWords, ...rest } = query;
    const filter = { ...rest, words, customerWords };
    return mapPage(await store.orders.list(caller.workspaceId, filter, page), orderView);
  },
});
