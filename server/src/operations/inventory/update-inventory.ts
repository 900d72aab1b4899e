import { updateInventory as update } from '../../services/inventory.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { exampleItem, InventoryItem, InventoryUpdate } from '../schemas/inventory.ts';
import { record } from '../success.ts';
import { inventoryItemView } from '../views/inventory.ts';

export const updateInventory = writeOperation({
  id: 'updateInventory',
  method: 'PATCH',
  path: '/inventory/{petId}',
  tag: 'inventory',
  scope: 'write',
  summary: 'Set the stock of a pet',
  description:
    'Sets the new count, which cannot be below the units that open orders have reserved.',
  stability: 'experimental',
  params: { petId: pathId('ID of the pet.') },
  body: InventoryUpdate,
  requestExample: { quantity: 5, reason: 'stocktaking' },
  isConditional: true,
  events: ['inventory.adjusted', 'inventory.low'],
  success: record(InventoryItem, 'The entry as it is now.'),
  errors: ['below_reserved'],
  example: exampleItem,
  handle: async ({ caller, params, body, checkMatch, now }, tx) => {
    const stock = await update(tx, {
      caller,
      id: params.petId,
      count: body,
      checkMatch: (current) => checkMatch(inventoryItemView(current)),
      now,
    });
    return inventoryItemView(stock);
  },
});
