import sql from 'sql-template-tag';
import { holes, lowStock, orderPlaced } from '../domain/event.ts';
import type { StockRecord } from '../domain/inventory.ts';
import type { NewOrder, OrderRecord } from '../domain/order.ts';
import { petStatuses } from '../domain/stock.ts';
import type { InventoryItemView } from '../operations/views/inventory.ts';
import { dialectOf, perEngine } from './dialect.ts';
import { arrivalOf, eventPieces, textAround } from './events.ts';
import { byId, list, type Page, type PageRequest } from './list.ts';
import {
  insertion,
  lockingStatement,
  Reader,
  type Row,
  type SingleStatement,
  statement,
  type Value,
} from './runner.ts';
import { flag, optional, plain, Table } from './table.ts';

export const orderTable = new Table<OrderRecord>('orders', {
  key: ['workspace_id', 'id'],
  fields: {
    id: plain('id'),
    petId: plain('pet_id'),
    quantity: plain('quantity'),
    shipDate: optional('ship_date'),
    complete: flag('complete'),
    createdAt: plain('created_at'),
    expiresAt: optional('expires_at'),
  },
});

const FIND = `SELECT ${orderTable.columns} FROM orders WHERE id = $1 AND workspace_id = $2`;
const find = statement<Row>(FIND);
const findAndLock = lockingStatement<Row>(FIND, 'orders');
const insert = insertion(
  `INSERT INTO orders (pet_id, workspace_id, quantity, ship_date, complete, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
// A complete order never changes again, whatever the service tries.
const update = statement(
  `UPDATE orders SET quantity = $3, ship_date = $4, complete = $5, expires_at = $6
   WHERE id = $1 AND workspace_id = $2 AND complete = 0`,
);
const remove = statement('DELETE FROM orders WHERE id = $1 AND workspace_id = $2 AND complete = 0');

// Placing an order in one statement. Each arrival reads the one before it, and the first reads the ledger row: so they are
// in this order, and their ids are drawn while the pet is locked. Who gets the last unit is decided by the condition of
// the UPDATE, never by a read and then a write. $3 units are taken at once, $4 units are reserved; one of the two is 0.
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
const RETURNING = ` RETURNING quantity, reserved, moved_at, ${INVENTORY.join(' || ')} || '}' AS inventory`;
const PLACE = `placed AS (
    INSERT INTO orders (pet_id, workspace_id, quantity, ship_date, complete, created_at, expires_at)
    SELECT $1, $2, CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($10 AS BIGINT),
      CAST($11 AS BIGINT)
    FROM stock RETURNING id
  ), result AS (
    INSERT INTO movements (workspace_id, pet_id, cause, quantity_before, quantity_after,
      reserved_before, reserved_after, order_id, key_id, at)
    SELECT $2, $1, $8, stock.quantity + CAST($3 AS BIGINT), stock.quantity,
      stock.reserved - CAST($4 AS BIGINT), stock.reserved, placed.id, $9, stock.moved_at
    FROM stock, placed RETURNING id, order_id
  ), emitted AS (${arrivalOf('order.placed', {
    text: textAround(12, ['CAST(result.order_id AS TEXT)', 'stock.inventory']),
    at: '$10',
    from: 'FROM result, stock',
  })})`;
const FULFILLED = `, fulfilled AS (${arrivalOf('order.fulfilled', {
  text: textAround(15, ['CAST(result.order_id AS TEXT)', 'stock.inventory']),
  at: '$10',
  from: 'FROM result, stock, emitted',
})})`;
const AVAILABLE = 'stock.quantity - stock.reserved';
const lowAfter = (cte: string, first: number) =>
  `, low AS (${arrivalOf('inventory.low', {
    text: textAround(first + 1, ['stock.inventory']),
    at: '$10',
    from: `FROM result, stock, ${cte} WHERE ${AVAILABLE} <= CAST($${first} AS BIGINT)
   AND ${AVAILABLE} + CAST($3 AS BIGINT) + CAST($4 AS BIGINT) > CAST($${first} AS BIGINT)`,
  })})`;
const placed = (rest: string): SingleStatement => ({
  ctes: (condition) => `stock AS (${DECIDE}${condition}${RETURNING}), ${PLACE}${rest}`,
  column: 'order_id',
  lockedTable: 'pets',
});
const placeInOne = {
  open: { plain: placed(''), low: placed(lowAfter('emitted', 15)) },
  complete: {
    plain: placed(FULFILLED),
    low: placed(FULFILLED + lowAfter('fulfilled', 18)),
  },
} satisfies Record<string, Record<string, SingleStatement>>;

// A node whose clock is wrong must not end anybody's orders, so the database decides what time it is.
const DUE = 'expires_at <= shared_now($1)';
const findDue = statement<readonly [id: number]>(`SELECT id FROM orders WHERE ${DUE} LIMIT 1`);
// One statement finds the orders, locks them and deletes them. An order that another transaction completes, changes or
// ends is therefore either skipped or seen as that transaction has left it, and only one transaction gets each row.
const take = (due: string, lock: string) =>
  statement<readonly [...Row, workspaceId: number]>(
    `WITH due AS MATERIALIZED (SELECT workspace_id, id FROM orders WHERE ${due}${lock})
     DELETE FROM orders WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM due)
     RETURNING ${orderTable.columns}, workspace_id`,
  );
const takeOldest = perEngine(({ isIn, forUpdateSkippingLocked }) =>
  take(
    `${DUE} AND NOT (${isIn('pet_id', '$3')}) ORDER BY expires_at LIMIT $2`,
    forUpdateSkippingLocked,
  ),
);
const OF_PET = `workspace_id = $3 AND pet_id = $2 AND ${DUE} AND id <> $4 ORDER BY id`;
const takeOfPet = perEngine(({ forUpdate, forUpdateSkippingLocked }) => ({
  waiting: take(OF_PET, forUpdate),
  skipping: take(OF_PET, forUpdateSkippingLocked),
}));

interface OrderFilter {
  petId?: number;
  complete?: boolean;
  shipDateFrom?: number;
  shipDateTo?: number;
  expiresBefore?: number;
}

/** An order that was deleted because its time had come. */
export interface DueOrder extends OrderRecord {
  workspaceId: number;
}

interface PlaceOrigin {
  keyId: string;
  at: number;
  lowStockAt: number | undefined;
}

export class OrderReader extends Reader {
  async find(workspaceId: number, id: number): Promise<OrderRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && orderTable.recordOf(row);
  }

  list(workspaceId: number, filter: OrderFilter, page: PageRequest): Promise<Page<OrderRecord>> {
    const { petId, complete, expiresBefore } = filter;
    // Only open orders expire.
    const isComplete = expiresBefore === undefined ? complete : (complete ?? false);
    const columns = [
      ...(petId === undefined ? [] : [{ column: 'pet_id', value: petId }]),
      ...(isComplete === undefined ? [] : [{ column: 'complete', value: Number(isComplete) }]),
    ];
    const along = columns.shift();
    const filters = columns.map(({ value }) => sql`complete = ${value}`);
    if (expiresBefore !== undefined) filters.push(sql`expires_at <= ${expiresBefore}`);
    return list(
      this.runner,
      {
        table: 'orders',
        columns: orderTable.columns,
        itemOf: (row: Row) => orderTable.recordOf(row),
        workspaceId,
        where: sql`workspace_id = ${workspaceId}`,
        along,
        order: byId,
        filters,
        among: shippedWithin(filter),
      },
      page,
    );
  }

  /** Whether the time of an open order has come. */
  async areDue(now: number): Promise<boolean> {
    return (await this.runner.row(findDue, [now])) !== undefined;
  }
}

export class OrderWriter extends OrderReader {
  async findAndLock(workspaceId: number, id: number): Promise<OrderRecord | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && orderTable.recordOf(row);
  }

  /**
   * Takes or reserves the units, writes the order, its ledger row and its events: in one statement where the engine can, in
   * steps otherwise. Undefined, and nothing changed, when the statement finds no such pet, a hold, or too few units.
   */
  place(
    workspaceId: number,
    order: NewOrder,
    origin: PlaceOrigin,
    steps: () => Promise<number | undefined>,
  ): Promise<number | undefined> {
    const { petId, quantity, shipDate = null, complete, expiresAt = null } = order;
    const { keyId, at, lowStockAt } = origin;
    const units = complete ? [quantity, 0] : [0, quantity];
    const single =
      placeInOne[complete ? 'complete' : 'open'][lowStockAt === undefined ? 'plain' : 'low'];
    const counts = [...units, quantity, shipDate, Number(complete)];
    const cause = complete ? 'fulfilled' : 'reserved';
    const rest = [...counts, cause, keyId, at, expiresAt, ...eventTexts(order, origin)];
    return this.runner.commitSingle(single, [petId, workspaceId, ...rest], steps);
  }

  /** The ids of new orders, in the order in which they are given. */
  async insert(workspaceId: number, orders: readonly NewOrder[], at: number): Promise<number[]> {
    const rows = orders.map(({ petId, quantity, shipDate = null, complete, expiresAt = null }) => {
      return [petId, workspaceId, quantity, shipDate, Number(complete), at, expiresAt];
    });
    return (await this.runner.rowEach(insert, rows)).map((row) => row![0]);
  }

  /** False when the order does not exist or is complete. */
  async update(workspaceId: number, order: OrderRecord): Promise<boolean> {
    const { id, quantity, shipDate = null, complete, expiresAt = null } = order;
    const values = [id, workspaceId, quantity, shipDate, Number(complete), expiresAt];
    return (await this.runner.run(update, values)) === 1;
  }

  /** False when the order does not exist or is complete. */
  async delete(workspaceId: number, id: number): Promise<boolean> {
    return (await this.runner.run(remove, [id, workspaceId])) === 1;
  }

  /**
   * Deletes orders of any workspace whose time has come, the oldest first. Skips those that others have locked and those
   * of the pets named.
   */
  async takeDue(
    now: number,
    { limit, exceptPets }: { limit: number; exceptPets: readonly number[] },
  ): Promise<DueOrder[]> {
    const values = [now, limit, dialectOf(this.runner).list(exceptPets)];
    return dueOrdersOf(await this.runner.rows(takeOldest(this.runner), values));
  }

  /**
   * Deletes the orders of a pet whose time has come. It waits for those that others have locked, so the caller must not
   * hold a lock on the pet; with `except`, which names an order that the caller has locked, it skips them.
   */
  async takeDueOfPet(
    pet: { workspaceId: number; petId: number; except?: number | undefined },
    now: number,
  ): Promise<DueOrder[]> {
    const { workspaceId, petId, except } = pet;
    const { waiting, skipping } = takeOfPet(this.runner);
    const chosen = except === undefined ? waiting : skipping;
    return dueOrdersOf(await this.runner.rows(chosen, [now, petId, workspaceId, except ?? 0]));
  }
}

function shippedWithin({ shipDateFrom: from, shipDateTo: to }: OrderFilter) {
  if (from === undefined && to === undefined) return [];
  const where = [
    ...(from === undefined ? [] : [sql`ship_date >= ${from}`]),
    ...(to === undefined ? [] : [sql`ship_date <= ${to}`]),
  ];
  return [{ where, index: 'ship_date, id' }];
}

/** The texts of the events from `$12` on, around what only the statement knows, and the threshold of low stock. */
function eventTexts(newOrder: NewOrder, { keyId, at, lowStockAt }: PlaceOrigin): Value[] {
  const order = { id: holes.id as never, ...newOrder, createdAt: at };
  const inventory = holes.inventory as unknown as StockRecord;
  const texts = orderPlaced(order, inventory, { at, keyId }).flatMap(eventPieces);
  if (lowStockAt === undefined) return texts;
  return [...texts, lowStockAt, ...eventPieces(lowStock(inventory, lowStockAt, { at, keyId }))];
}

/** Engines may return rows in any order. */
function dueOrdersOf(rows: readonly Row[]): DueOrder[] {
  return rows
    .map((row) => ({ ...orderTable.recordOf(row), workspaceId: row.at(-1) as number }))
    .toSorted((a, b) => a.id - b.id);
}
