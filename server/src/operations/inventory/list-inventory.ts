import { mapPage } from '../../datastore/list.ts';
import { invalidField } from '../../domain/errors.ts';
import { LOW_STOCK_AT, petStatuses, STOCK_MAX } from '../../domain/stock.ts';
import { readOperation } from '../operation.ts';
import { bool, integer, oneOf, queryId, queryIds, text, words } from '../parameters.ts';
import { exampleItem, InventoryItem } from '../schemas/inventory.ts';
import { listOf } from '../success.ts';
import { inventoryItemView } from '../views/inventory.ts';
import { asOf, refuseRecent } from './as-of.ts';

export const listInventory = readOperation({
  id: 'listInventory',
  method: 'GET',
  path: '/inventory',
  tag: 'inventory',
  scope: 'read',
  summary: 'List the stock of all pets',
  cacheableUntil: 'workspaceWrites',
  query: {
    status: oneOf('Only entries of this status.', petStatuses),
    availableBelow: integer('Only entries with fewer available units than this.', {
      minimum: 0,
      maximum: STOCK_MAX,
    }),
    low: bool(
      `Only entries whose available units are at the \`lowStockAt\` of the pet, or else of the workspace, or else ${LOW_STOCK_AT}, or below it; with false, only the others.`,
    ),
    name: text('Only pets whose name starts with this, case-insensitively.', 200),
    q: words('Only pets with these words in their name.'),
    categoryId: queryId('Only pets of this category.'),
    petId: queryIds('Only these pets; may be repeated up to 100 times.', 100),
    asOf,
  },
  list: { sorts: ['id'] },
  success: listOf(
    InventoryItem,
    'The entries, by pet, one page at a time. With `availableBelow`, `low` or `asOf` a page may have fewer entries than `limit`, or none; continue while there is a `next` link.',
  ),
  example: [exampleItem],
  handle: async ({ caller, query, page, now }, store) => {
    const { name: namePrefix, q: words, petId: ids, low: isLow, asOf, ...rest } = query;
    const named = { ...(namePrefix ? { namePrefix } : {}), ...(words ? { words } : {}) };
    const filter = { ...rest, ...named };
    if (asOf === undefined) {
      const { lowStockAt = LOW_STOCK_AT } = caller;
      const low = isLow === undefined ? {} : { low: { isLow, lowStockAt } };
      const these = { ...filter, ...low, ...(ids ? { ids } : {}) };
      const items = await store.stock.list(caller.workspaceId, these, page);
      return mapPage(items, inventoryItemView);
    }
    refuseRecent(query, now);
    const present = (['status', 'availableBelow', 'low', 'petId'] as const).find(
      (name) => name in query,
    );
    if (present) throw invalidField(present, 'cannot be combined with asOf');
    const items = await store.ledger.listAsOf(caller.workspaceId, { ...filter, asOf }, page);
    return mapPage(items, inventoryItemView);
  },
});
