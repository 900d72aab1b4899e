import sql, { join } from 'sql-template-tag';
import type { NewOrder, OrderRecord } from '../domain/order.ts';
import type { Why } from './inventory.ts';
import { continueAfter, orderAndLimit, type Page, type PageRequest, pageOf } from './page.ts';
import { lockingStatement, query, type Runner, type SingleStatement, statement } from './runner.ts';

type OrderRow = readonly [
  id: number,
  petId: number,
  quantity: number,
  shipDate: number | null,
  complete: number,
];

const FIND = `SELECT id, pet_id, quantity, ship_date, complete FROM orders
  WHERE id = $1 AND workspace_id = $2`;
const find = statement<OrderRow>(FIND);
const findAndLock = lockingStatement<OrderRow>(FIND, 'orders');
// A complete order never changes again, whatever the service tries.
const update = statement(
  `UPDATE orders SET quantity = $3, ship_date = $4, complete = $5
   WHERE id = $1 AND workspace_id = $2 AND complete = 0`,
);
const remove = statement('DELETE FROM orders WHERE id = $1 AND workspace_id = $2 AND complete = 0');

// Decides who gets the last unit in one conditional statement, never by a read and then a write.
// $3 units are taken at once, $4 units are reserved; one of the two is 0.
const DECIDE = `UPDATE pets SET quantity = quantity - $3, reserved = reserved + $4
  WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL AND held = 0
  AND quantity - reserved >= CAST($3 AS BIGINT) + CAST($4 AS BIGINT) RETURNING quantity, reserved`;
const decide = statement<readonly [quantity: number, reserved: number]>(DECIDE);
const insert = statement<readonly [id: number]>(
  `INSERT INTO orders (pet_id, workspace_id, quantity, ship_date, complete)
   VALUES ($1, $2, $3, $4, $5) RETURNING id`,
);
const record = statement(
  `INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
     reserved_after, order_id, key_id, at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
// PostgreSQL does the same three steps in one round trip. SQLite has no round trips and no CTEs that write.
const placeInOne: SingleStatement = {
  ctes: `stock AS (${DECIDE}), placed AS (
    INSERT INTO orders (pet_id, workspace_id, quantity, ship_date, complete)
    SELECT $1, $2, CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT) FROM stock RETURNING id
  ), result AS (
    INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
      reserved_after, order_id, key_id, at)
    SELECT $1, $8, stock.quantity + CAST($3 AS BIGINT), stock.quantity,
      stock.reserved - CAST($4 AS BIGINT), stock.reserved, placed.id, $9, CAST($10 AS BIGINT)
    FROM stock, placed RETURNING order_id
  )`,
  column: 'order_id',
  row: 'pets',
};

export interface OrderFilter {
  petId?: number;
  complete?: boolean;
  shipDateFrom?: number;
  shipDateTo?: number;
}

export class OrderReader {
  protected readonly runner: Runner;
  constructor(runner: Runner) {
    this.runner = runner;
  }

  async find(workspaceId: number, id: number): Promise<OrderRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && orderOf(row);
  }

  async list(workspaceId: number, filter: OrderFilter, page: PageRequest) {
    const { petId, complete, shipDateFrom, shipDateTo } = filter;
    const where = [
      sql`workspace_id = ${workspaceId}`,
      ...(petId === undefined ? [] : [sql`pet_id = ${petId}`]),
      ...(complete === undefined ? [] : [sql`complete = ${complete ? 1 : 0}`]),
      ...(shipDateFrom === undefined ? [] : [sql`ship_date >= ${shipDateFrom}`]),
      ...(shipDateTo === undefined ? [] : [sql`ship_date <= ${shipDateTo}`]),
      ...continueAfter(page),
    ];
    const rows = await query<OrderRow>(
      this.runner,
      sql`SELECT id, pet_id, quantity, ship_date, complete FROM orders
          WHERE ${join(where, ' AND ')} ${orderAndLimit(page)}`,
    );
    return pageOf(rows, page.limit, orderOf) satisfies Page<OrderRecord>;
  }
}

export class OrderWriter extends OrderReader {
  async findAndLock(workspaceId: number, id: number): Promise<OrderRecord | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && orderOf(row);
  }

  /**
   * Takes or reserves the units, writes the order and its ledger row. Undefined, and nothing changed,
   * when there is no such pet, it is on hold, or fewer units are available.
   */
  async place(workspaceId: number, order: NewOrder, why: Why): Promise<number | undefined> {
    const { petId, quantity, shipDate = null, complete } = order;
    const taken = complete ? quantity : 0;
    const reserved = complete ? 0 : quantity;
    const cause = complete ? 'fulfilled' : 'reserved';
    if (this.runner.commitSingle) {
      const rest = [workspaceId, taken, reserved, quantity, shipDate, complete ? 1 : 0];
      return this.runner.commitSingle(placeInOne, [petId, ...rest, cause, why.keyId, why.at]);
    }
    const stock = await this.runner.row(decide, [petId, workspaceId, taken, reserved]);
    if (!stock) return undefined;
    const values = [petId, workspaceId, quantity, shipDate, complete ? 1 : 0];
    const [id] = (await this.runner.row(insert, values))!;
    const before = [stock[0] + taken, stock[0], stock[1] - reserved, stock[1]];
    await this.runner.run(record, [petId, cause, ...before, id, why.keyId, why.at]);
    return id;
  }

  /** False when the order does not exist or is complete. */
  async update(workspaceId: number, order: OrderRecord): Promise<boolean> {
    const { id, quantity, shipDate = null, complete } = order;
    const values = [id, workspaceId, quantity, shipDate, complete ? 1 : 0];
    return (await this.runner.run(update, values)) === 1;
  }

  /** False when the order does not exist or is complete. */
  async delete(workspaceId: number, id: number): Promise<boolean> {
    return (await this.runner.run(remove, [id, workspaceId])) === 1;
  }
}

function orderOf([id, petId, quantity, shipDate, complete]: OrderRow): OrderRecord {
  const order = { id, petId, quantity, complete: complete === 1 };
  return shipDate === null ? order : { ...order, shipDate };
}
