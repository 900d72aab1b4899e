import { setStock as set } from '../../services/batches/stock-batches.ts';
import { writeOperation } from '../operation.ts';
import { batchCost } from '../schemas/batches/batch.ts';
import {
  StockBatch,
  StockBatchFrame,
  StockBatchResult,
  stockRowOf,
} from '../schemas/batches/stock-batch.ts';
import { exampleMovement } from '../schemas/inventory.ts';
import { value } from '../success.ts';
import { batchErrorView, stockBatchPreview } from '../views/batch.ts';
import { movementView } from '../views/inventory.ts';

export const setStock = writeOperation({
  id: 'setStock',
  method: 'POST',
  path: '/inventory/batch',
  tag: 'inventory',
  scope: 'write',
  stability: 'experimental',
  summary: 'Set or adjust the stock of up to 1,000 pets',
  description:
    'Each item has a new count (`quantity`) or units to add or remove (`delta`, with a `reason`); a pet can be in one item only. An item with `expected` is refused if another count is on hand by now. Mode `all`, the default: changes all or none. Mode `each`: skips refused items and reports their errors. Every 100 items cost one request of the quota.',
  body: StockBatch,
  bodyToCheck: StockBatchFrame,
  requestExample: { items: [{ petId: 1, quantity: 5, reason: 'stocktaking' }] },
  overwrites: true,
  cost: ({ items }) => batchCost(items),
  events: ['inventory.adjusted', 'inventory.low'],
  success: value(
    StockBatchResult,
    'The outcome of each item, in the order of the items.',
    stockBatchPreview,
  ),
  errors: ['below_reserved', 'stock_changed'],
  example: { changed: 1, unchanged: 0, refused: 0, results: [{ movement: exampleMovement }] },
  handle: async ({ caller, body, now }, tx) => {
    const isAllOrNothing = (body.mode ?? 'all') === 'all';
    const rows = body.items.map(stockRowOf);
    const outcomes = await set(tx, { caller, rows, isAllOrNothing, now });
    const results = outcomes.map((outcome) => {
      if ('refusal' in outcome) return { error: batchErrorView(outcome.refusal) };
      return outcome.movement ? { movement: movementView(outcome.movement) } : {};
    });
    const changed = results.filter((row) => 'movement' in row).length;
    const refused = results.filter((row) => 'error' in row).length;
    return { changed, unchanged: results.length - changed - refused, refused, results };
  },
});
