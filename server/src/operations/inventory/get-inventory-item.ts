import { notFound } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { exampleItem, InventoryItem } from '../schemas/inventory.ts';
import { record } from '../success.ts';
import { inventoryItemView } from '../views/inventory.ts';

export const getInventoryItem = readOperation({
  id: 'getInventoryItem',
  method: 'GET',
  path: '/inventory/{petId}',
  tag: 'inventory',
  scope: 'read',
  summary: 'Get the stock of a pet',
  isRepeatable: true,
  params: { petId: pathId('ID of the pet.') },
  success: record(InventoryItem, 'The entry.'),
  example: exampleItem,
  handle: async ({ caller, params }, store) => {
    const item = await store.inventory.find(caller.workspaceId, params.petId);
    if (!item) throw notFound('pet', params.petId);
    return inventoryItemView(item);
  },
});
