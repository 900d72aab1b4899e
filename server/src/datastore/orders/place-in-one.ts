// Placing an order in one statement. Each arrival reads the one before it, and the first reads the ledger row: so they are
// in this order, and their ids are drawn while the pet is locked. Who gets the last unit is decided by the condition of
// the UPDATE, never by a read and then a write. $3 units are taken at once, $4 units are reserved; one of the two is 0.

import { holes, lowStock, orderPlaced } from '../../domain/event.ts';
import type { StockRecord } from '../../domain/inventory.ts';
import { type NewOrder, placedOrder } from '../../domain/order.ts';
import { petStatuses } from '../../domain/stock.ts';
import type { InventoryItemView } from '../../operations/views/inventory.ts';
import { perEngine } from '../dialect.ts';
import { arrivalOf } from '../events.ts';
import type { Runner, SingleStatement, SingleStatementValues, Value } from '../runner.ts';
import { eventPieces, textAround } from '../stored-event.ts';
import { DETAIL_COLUMNS, detailValues, hasDetails, orderWords, WORDS_AT } from './order-details.ts';

const shownInventory: Record<keyof InventoryItemView, string> = {
  petId: 'id',
  quantity: 'quantity',
  reserved: 'reserved',
  available: 'quantity - reserved',
  status: `CASE status ${petStatuses.map((status, at) => `WHEN ${at} THEN '"${status}"'`).join(' ')} END`,
};
const INVENTORY = Object.entries(shownInventory).map(
  ([name, value], at) => `'${at === 0 ? '{' : ','}"${name}":' || CAST(${value} AS TEXT)`,
);
const DECIDE = `UPDATE pets SET quantity = quantity - $3, reserved = reserved + $4,
    moved_at = GREATEST(moved_at, CAST($10 AS BIGINT))
  WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL AND held = 0
  AND quantity - reserved >= CAST($3 AS BIGINT) + CAST($4 AS BIGINT)`;
const RETURNING = ` RETURNING quantity, reserved, moved_at, low_stock_at, ${INVENTORY.join(' || ')} || '}' AS inventory`;
/** Of every event. */
const ORIGIN = { at: '$10', trace: '$13' };
/** The parameters of the details, which most orders have not, and the first of the texts that follow. */
const DETAILS_AT = 14;
const DETAILS = ', $14, $15, $16, $17, $18, $19';
const place = (
  first: number,
  details: Record<'columns' | 'values' | 'words', string>,
) => `placed AS (
    INSERT INTO orders (pet_id, workspace_id, quantity, ship_date, state, created_at, expires_at,
      ended_at${details.columns})
    SELECT $1, $2, CAST($5 AS BIGINT), CAST($6 AS BIGINT), $7, CAST($10 AS BIGINT),
      CAST($11 AS BIGINT), CAST($12 AS BIGINT)${details.values}
    FROM stock RETURNING id
  ), ${details.words}result AS (
    INSERT INTO movements (workspace_id, pet_id, cause, quantity_before, quantity_after,
      reserved_before, reserved_after, order_id, key_id, at)
    SELECT $2, $1, $8, stock.quantity + CAST($3 AS BIGINT), stock.quantity,
      stock.reserved - CAST($4 AS BIGINT), stock.reserved, placed.id, $9, stock.moved_at
    FROM stock, placed RETURNING id, order_id
  ), emitted AS (${arrivalOf({
    text: textAround(first, ['CAST(result.order_id AS TEXT)', 'stock.inventory']),
    ...ORIGIN,
    from: 'FROM result, stock',
  })})`;
const fulfilled = (first: number) =>
  `, fulfilled AS (${arrivalOf({
    text: textAround(first, ['CAST(result.order_id AS TEXT)', 'stock.inventory']),
    ...ORIGIN,
    from: 'FROM result, stock, emitted',
  })})`;
const AVAILABLE = 'stock.quantity - stock.reserved';
/** The threshold of the pet, or else that of the workspace, which is `$first`. Without both nothing is low. */
const lowAfter = (cte: string, first: number) => {
  const threshold = `COALESCE(stock.low_stock_at, CAST($${first} AS BIGINT))`;
  return `, low AS (${arrivalOf({
    text: textAround(first + 1, ['stock.inventory', `CAST(${threshold} AS TEXT)`]),
    ...ORIGIN,
    from: `FROM result, stock, ${cte} WHERE ${AVAILABLE} <= ${threshold}
   AND ${AVAILABLE} + CAST($3 AS BIGINT) + CAST($4 AS BIGINT) > ${threshold}`,
  })})`;
};
/** The text of an event has this many pieces. */
const PIECES = 3;
const variantsOf = (first: number, details: Parameters<typeof place>[1]) => {
  const PLACE = place(first, details);
  const placed = (rest: string): SingleStatement => ({
    ctes: (condition) => `stock AS (${DECIDE}${condition}${RETURNING}), ${PLACE}${rest}`,
    column: 'order_id',
    lockedTable: 'pets',
  });
  const [second, third] = [first + PIECES, first + 2 * PIECES];
  const FULFILLED = fulfilled(second);
  return {
    open: placed(lowAfter('emitted', second)),
    complete: placed(FULFILLED + lowAfter('fulfilled', third)),
  };
};
const statements = perEngine((dialect) => ({
  bare: variantsOf(DETAILS_AT, { columns: '', values: '', words: '' }),
  detailed: variantsOf(DETAILS_AT + 6, {
    columns: `, ${DETAIL_COLUMNS}`,
    values: DETAILS,
    words: `words AS (${orderWords.insertion(dialect, { from: 'placed', words: DETAILS_AT + WORDS_AT })}), `,
  }),
}));

export interface PlaceOrigin {
  keyId: string;
  at: number;
  lowStockAt: number | undefined;
  traceparent?: string | undefined;
}

/** The statement that places an order, and its values. */
export function placeInOne(
  runner: Runner,
  { workspaceId, order, origin }: { workspaceId: number; order: NewOrder; origin: PlaceOrigin },
): readonly [SingleStatement, SingleStatementValues] {
  const { petId, quantity, shipDate = null, complete, expiresAt = null } = order;
  const { keyId, at, traceparent = null } = origin;
  const units = complete ? [quantity, 0] : [0, quantity];
  const state = complete ? 'complete' : 'open';
  const counts = [...units, quantity, shipDate, state];
  const cause = complete ? 'fulfilled' : 'reserved';
  const times = [at, expiresAt, complete ? at : null];
  const isDetailed = hasDetails(order);
  const details = isDetailed ? detailValues(order) : [];
  const event = [traceparent, ...details, ...eventTexts(order, origin)];
  const rest = [...counts, cause, keyId, ...times, ...event];
  const statement = statements(runner)[isDetailed ? 'detailed' : 'bare'][state];
  return [statement, [petId, workspaceId, ...rest]];
}

/** The texts of the events, around what only the statement knows, and the threshold of low stock. */
function eventTexts(newOrder: NewOrder, { lowStockAt, ...by }: PlaceOrigin): Value[] {
  const order = placedOrder(holes.id as never, newOrder, by.at);
  const inventory = holes.inventory as unknown as StockRecord;
  const texts = orderPlaced(order, inventory, by).flatMap(eventPieces);
  const low = lowStock(inventory, holes.lowStockAt as never, by);
  return [...texts, lowStockAt ?? null, ...eventPieces(low)];
}
