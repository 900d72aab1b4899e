import { notFound } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { exampleItem, InventoryItem } from '../schemas/inventory.ts';
import { record } from '../success.ts';
import { inventoryItemView } from '../views/inventory.ts';
import { asOf, refuseRecent } from './as-of.ts';

export const getInventoryItem = readOperation({
  id: 'getInventoryItem',
  method: 'GET',
  path: '/inventory/{petId}',
  tag: 'inventory',
  scope: 'read',
  summary: 'Get the stock of a pet',
  cacheableUntil: 'workspaceWrites',
  params: { petId: pathId('ID of the pet.') },
  query: { asOf },
  isPast: ({ asOf }) => asOf !== undefined,
  success: record(InventoryItem, 'The entry.'),
  example: exampleItem,
  handle: async ({ caller, params, query, now }, store) => {
    refuseRecent(query, now);
    const item =
      query.asOf === undefined
        ? await store.stock.find(caller.workspaceId, params.petId)
        : await store.ledger.stockAsOf(caller.workspaceId, params.petId, query.asOf);
    if (!item) throw notFound('pet', params.petId);
    return inventoryItemView(item);
  },
});
