import sql, { join, raw } from 'sql-template-tag';
import { fieldsNotInLedger } from '../domain/event.ts';
import type { NewOrder, OrderRecord } from '../domain/order.ts';
import { fallsLow } from '../domain/stock.ts';
import { arrivalOf, EventWriter } from './events.ts';
import type { MovementOrigin } from './inventory.ts';
import { continueAfter, orderAndLimit, type Page, type PageRequest, pageOf } from './page.ts';
import {
  insertion,
  insertRow,
  lockingStatement,
  query,
  Reader,
  type Runner,
  type SingleStatement,
  statement,
  type Value,
} from './runner.ts';

export type OrderRow = readonly [
  id: number,
  petId: number,
  quantity: number,
  shipDate: number | null,
  complete: number,
  createdAt: number | null,
  expiresAt: number | null,
];

export const ORDER_COLUMNS = 'id, pet_id, quantity, ship_date, complete, created_at, expires_at';
const FIND = `SELECT ${ORDER_COLUMNS} FROM orders
  WHERE id = $1 AND workspace_id = $2`;
const find = statement<OrderRow>(FIND);
const findAndLock = lockingStatement<OrderRow>(FIND, 'orders');
// A complete order never changes again, whatever the service tries.
const update = statement(
  `UPDATE orders SET quantity = $3, ship_date = $4, complete = $5, expires_at = $6
   WHERE id = $1 AND workspace_id = $2 AND complete = 0`,
);
const remove = statement('DELETE FROM orders WHERE id = $1 AND workspace_id = $2 AND complete = 0');

// Decides who gets the last unit in one conditional statement, never by a read and then a write.
// $3 units are taken at once, $4 units are reserved; one of the two is 0.
const RETURNING = ' RETURNING quantity, reserved';
const DECIDE = `UPDATE pets SET quantity = quantity - $3, reserved = reserved + $4
  WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL AND held = 0
  AND quantity - reserved >= CAST($3 AS BIGINT) + CAST($4 AS BIGINT)`;
const decide = statement(DECIDE);
const insert = insertion(
  `INSERT INTO orders (pet_id, workspace_id, quantity, ship_date, complete, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
// Reads the stock that the decision has left. On SQLite this costs less than RETURNING, which fills a table of its own.
const record = insertion(
  `INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
     reserved_after, order_id, key_id, at)
   SELECT id, $2, quantity + $3, quantity, reserved - $4, reserved, $5, $6, $7 FROM pets WHERE id = $1`,
);
const available = statement<readonly [units: number]>(
  'SELECT quantity - reserved FROM pets WHERE id = $1',
);
// PostgreSQL does all steps in one round trip. SQLite has no round trips and no CTEs that write. Each arrival reads the
// one before it, and the first reads the ledger row: so they are in this order, and their ids are drawn while the pet
// is locked.
const PLACE = `placed AS (
    INSERT INTO orders (pet_id, workspace_id, quantity, ship_date, complete, created_at, expires_at)
    SELECT $1, $2, CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($10 AS BIGINT),
      CAST($11 AS BIGINT)
    FROM stock RETURNING id
  ), result AS (
    INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
      reserved_after, order_id, key_id, at)
    SELECT $1, $8, stock.quantity + CAST($3 AS BIGINT), stock.quantity,
      stock.reserved - CAST($4 AS BIGINT), stock.reserved, placed.id, $9, CAST($10 AS BIGINT)
    FROM stock, placed RETURNING id, order_id
  ), emitted AS (${arrivalOf('order.placed', { text: '$12', at: '$10', from: 'FROM result' })})`;
const FULFILLED = `, fulfilled AS (${arrivalOf('order.fulfilled', {
  text: '$12',
  at: '$10',
  from: 'FROM result, emitted',
})})`;
const AVAILABLE = 'stock.quantity - stock.reserved';
const lowAfter = (cte: string) =>
  `, low AS (${arrivalOf('inventory.low', {
    text: '$13',
    at: '$10',
    from: `FROM result, stock, ${cte} WHERE ${AVAILABLE} <= CAST($14 AS BIGINT)
   AND ${AVAILABLE} + CAST($3 AS BIGINT) + CAST($4 AS BIGINT) > CAST($14 AS BIGINT)`,
  })})`;
const placed = (rest: string): SingleStatement => ({
  ctes: (condition) => `stock AS (${DECIDE}${condition}${RETURNING}), ${PLACE}${rest}`,
  column: 'order_id',
  lockedTable: 'pets',
});
const placeInOne = {
  open: { plain: placed(''), low: placed(lowAfter('emitted')) },
  complete: {
    plain: placed(FULFILLED),
    low: placed(FULFILLED + lowAfter('fulfilled')),
  },
} satisfies Record<string, Record<string, SingleStatement>>;

interface OrderFilter {
  petId?: number;
  complete?: boolean;
  shipDateFrom?: number;
  shipDateTo?: number;
  expiresBefore?: number;
}

export class OrderReader extends Reader {
  async find(workspaceId: number, id: number): Promise<OrderRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && orderOf(row);
  }

  async list(workspaceId: number, filter: OrderFilter, page: PageRequest) {
    const { petId, complete, shipDateFrom, shipDateTo, expiresBefore } = filter;
    const where = [
      sql`workspace_id = ${workspaceId}`,
      ...(petId === undefined ? [] : [sql`pet_id = ${petId}`]),
      ...(complete === undefined ? [] : [sql`complete = ${complete ? 1 : 0}`]),
      ...(shipDateFrom === undefined ? [] : [sql`ship_date >= ${shipDateFrom}`]),
      ...(shipDateTo === undefined ? [] : [sql`ship_date <= ${shipDateTo}`]),
      ...(expiresBefore === undefined
        ? []
        : [sql`complete = 0 AND expires_at <= ${expiresBefore}`]),
      ...continueAfter(page),
    ];
    const rows = await query<OrderRow>(
      this.runner,
      sql`SELECT ${raw(ORDER_COLUMNS)} FROM orders
          WHERE ${join(where, ' AND ')} ${orderAndLimit(page)}`,
    );
    return pageOf(rows, page.limit, orderOf) satisfies Page<OrderRecord>;
  }
}

export class OrderWriter extends OrderReader {
  readonly #events: EventWriter;
  constructor(runner: Runner) {
    super(runner);
    this.#events = new EventWriter(runner);
  }

  async findAndLock(workspaceId: number, id: number): Promise<OrderRecord | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && orderOf(row);
  }

  /**
   * Takes or reserves the units, writes the order, its ledger row and its events. Undefined, and nothing changed,
   * when there is no such pet, it is on hold, or fewer units are available.
   */
  async place(
    workspaceId: number,
    order: NewOrder,
    origin: MovementOrigin & { lowStockAt?: number | undefined },
  ): Promise<number | undefined> {
    const { petId, quantity, shipDate = null, complete, expiresAt = null } = order;
    const taken = complete ? quantity : 0;
    const reserved = complete ? 0 : quantity;
    const cause = complete ? 'fulfilled' : 'reserved';
    const { keyId, at, lowStockAt } = origin;
    const single =
      placeInOne[complete ? 'complete' : 'open'][lowStockAt === undefined ? 'plain' : 'low'];
    const counts = [taken, reserved, quantity, shipDate, complete ? 1 : 0];
    const rest = [...counts, cause, keyId, at, expiresAt, ...eventTexts(order, lowStockAt)];
    return this.runner.commitSingle(single, [petId, workspaceId, ...rest], () =>
      this.#placeInSteps(workspaceId, order, origin),
    );
  }

  async #placeInSteps(
    workspaceId: number,
    order: NewOrder,
    { keyId, at, lowStockAt }: MovementOrigin & { lowStockAt?: number | undefined },
  ): Promise<number | undefined> {
    const { petId, quantity, shipDate = null, complete, expiresAt = null } = order;
    const taken = complete ? quantity : 0;
    const reserved = complete ? 0 : quantity;
    const cause = complete ? 'fulfilled' : 'reserved';
    if ((await this.runner.run(decide, [petId, workspaceId, taken, reserved])) === 0) {
      return undefined;
    }
    const values = [petId, workspaceId, quantity, shipDate, complete ? 1 : 0, at, expiresAt];
    const id = (await insertRow(this.runner, insert, values))!;
    const movement = [petId, cause, taken, reserved, id, keyId, at];
    const movementId = (await insertRow(this.runner, record, movement))!;
    const isLow = lowStockAt !== undefined && (await this.#fellTo(lowStockAt, petId, quantity));
    const common = { at, movementId };
    const fields = fieldsNotInLedger(order);
    const data = fields ? { data: fields } : {};
    await this.#events.append(workspaceId, [
      { type: 'order.placed', ...common, ...data },
      ...(complete ? [{ type: 'order.fulfilled', ...common, ...data } as const] : []),
      ...(isLow ? [{ type: 'inventory.low', ...common, data: { lowStockAt } } as const] : []),
    ]);
    return id;
  }

  /** Whether an order of so many units has brought the available ones to the threshold. */
  async #fellTo(lowStockAt: number, petId: number, quantity: number): Promise<boolean> {
    const [units] = (await this.runner.row(available, [petId]))!;
    return fallsLow(lowStockAt, { before: units + quantity, after: units });
  }

  /** False when the order does not exist or is complete. */
  async update(workspaceId: number, order: OrderRecord): Promise<boolean> {
    const { id, quantity, shipDate = null, complete, expiresAt = null } = order;
    const values = [id, workspaceId, quantity, shipDate, complete ? 1 : 0, expiresAt];
    return (await this.runner.run(update, values)) === 1;
  }

  /** False when the order does not exist or is complete. */
  async delete(workspaceId: number, id: number): Promise<boolean> {
    return (await this.runner.run(remove, [id, workspaceId])) === 1;
  }
}

/** What the events keep beside their ledger row: `$12` of the order and, with a threshold, `$13` and `$14` of low stock. */
function eventTexts(newOrder: NewOrder, lowStockAt: number | undefined): Value[] {
  const fields = fieldsNotInLedger(newOrder);
  const order = fields ? JSON.stringify(fields) : null;
  return lowStockAt === undefined ? [order] : [order, `{"lowStockAt":${lowStockAt}}`, lowStockAt];
}

export function orderOf(row: OrderRow): OrderRecord {
  const [id, petId, quantity, shipDate, complete, createdAt, expiresAt] = row;
  return {
    id,
    petId,
    quantity,
    complete: complete === 1,
    ...(shipDate === null ? {} : { shipDate }),
    ...(createdAt === null ? {} : { createdAt }),
    ...(expiresAt === null || complete === 1 ? {} : { expiresAt }),
  };
}
