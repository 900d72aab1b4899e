import { petStatuses, STOCK_MAX } from '../../domain/stock.ts';
import { readOperation } from '../operation.ts';
import { integer, oneOf, queryId, text } from '../parameters.ts';
import { exampleItem, InventoryItem } from '../schemas/inventory.ts';
import { listOf } from '../success.ts';
import { inventoryItemView } from '../views/inventory.ts';
import { pageView } from '../views/page.ts';

export const listInventory = readOperation({
  id: 'listInventory',
  method: 'GET',
  path: '/inventory',
  tag: 'inventory',
  scope: 'read',
  summary: 'List the stock of all pets',
  isRepeatable: true,
  query: {
    status: oneOf('Only entries of this status.', petStatuses),
    availableBelow: integer('Only entries with fewer available units than this.', {
      minimum: 0,
      maximum: STOCK_MAX,
    }),
    name: text('Only pets whose name starts with this, case-insensitively.', 200),
    categoryId: queryId('Only pets of this category.'),
  },
  list: { sorts: ['id'], positionOf: (item: { petId: number }) => ({ id: item.petId }) },
  success: listOf(InventoryItem, 'The entries, by pet, one page at a time.'),
  example: [exampleItem],
  handle: async ({ caller, query, page }, store) => {
    const { name: namePrefix, ...rest } = query;
    const filter = { ...rest, ...(namePrefix ? { namePrefix } : {}) };
    return pageView(
      await store.inventory.list(caller.workspaceId, filter, page),
      inventoryItemView,
    );
  },
});
