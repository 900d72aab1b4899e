import type { NewOrder, OrderRecord } from '../../domain/order.ts';
import { dialectOf, perEngine } from '../dialect.ts';
import type { Page, PageRequest } from '../list.ts';
import { insertion, lockingStatement, Reader, type Row, statement } from '../runner.ts';
import { json, optional, plain, Table } from '../table.ts';
import { DETAIL_COLUMNS, detailValues, hasWords, orderWords, WORDS_AT } from './order-details.ts';
import { listOrders, type OrderFilter, type OrderSort } from './order-list.ts';
import { type PlaceOrigin, placeInOne } from './place-in-one.ts';

export const orderTable = new Table<OrderRecord>('orders', {
  key: ['workspace_id', 'id'],
  fields: {
    id: plain('id'),
    petId: plain('pet_id'),
    quantity: plain('quantity'),
    shipDate: optional('ship_date'),
    state: plain('state'),
    createdAt: plain('created_at'),
    expiresAt: optional('expires_at'),
    endedAt: optional('ended_at'),
    endReason: optional('end_reason'),
    reference: optional('reference'),
    customer: optional('customer'),
    note: optional('note'),
    metadata: json('metadata'),
  },
  hidden: ['words', 'customer_words'],
});

const FIND = `SELECT ${orderTable.columns} FROM orders WHERE id = $1 AND workspace_id = $2`;
const find = statement<Row>(FIND);
const findAndLock = lockingStatement<Row>(FIND, 'orders');
const insert = insertion(
  `INSERT INTO orders (pet_id, workspace_id, quantity, ship_date, state, created_at, expires_at, ended_at,
     ${DETAIL_COLUMNS})
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
);
// An order that has ended never changes again, whatever the service tries.
const update = statement(
  `UPDATE orders SET quantity = $3, ship_date = $4, state = $5, expires_at = $6, ended_at = $7,
     end_reason = $8, (${DETAIL_COLUMNS}) = ($9, $10, $11, $12, $13, $14)
   WHERE id = $1 AND workspace_id = $2 AND state = 'open'`,
);

// Any order can lose the name of its customer.
const forgetCustomer = statement(
  `UPDATE orders SET customer = NULL, customer_words = NULL, words = $3
   WHERE id = $1 AND workspace_id = $2`,
);

// A node whose clock is wrong must not end anybody's orders, so the database decides what time it is.
const DUE = 'expires_at <= shared_now($1)';
/** How many due orders one statement looks at: those of workspaces that are not active stay, however many they are. */
export const DUE_EXAMINED_MAX = 500;
const listDue = statement<
  readonly [expiresAt: number, id: number, petId: number, workspaceId: number, state: string]
>(
  `SELECT o.expires_at, o.id, o.pet_id, o.workspace_id, w.state FROM (
     SELECT workspace_id, id, pet_id, expires_at FROM orders WHERE ${DUE} AND (expires_at, id) > ($2, $3)
     ORDER BY expires_at, id LIMIT ${DUE_EXAMINED_MAX}
   ) o JOIN workspaces w ON w.id = o.workspace_id ORDER BY o.expires_at, o.id`,
);
// One statement finds the orders, locks them and ends them. An order that another transaction completes, changes or
// ends is therefore either skipped or seen as that transaction has left it, and only one transaction gets each row.
const expire = (due: string, lock: string, own = '') =>
  statement<readonly [...Row, workspaceId: number]>(
    `WITH due AS MATERIALIZED (SELECT workspace_id, id FROM orders WHERE ${due}${lock})
     UPDATE orders SET state = 'expired', expires_at = NULL, ended_at = CAST($1 AS BIGINT),
       end_reason = 'expired'
     WHERE ${own}(workspace_id, id) IN (SELECT workspace_id, id FROM due)
     RETURNING ${orderTable.columns}, workspace_id`,
  );
const expireOldest = perEngine(({ isIn, forUpdateSkippingLocked }) =>
  expire(
    `${DUE} AND (expires_at, id) > ($4, $5) AND (expires_at, id) <= ($6, $7) AND NOT (${isIn('pet_id', '$3')})
     AND (SELECT state FROM workspaces w WHERE w.id = orders.workspace_id) = 'active'
     ORDER BY expires_at LIMIT $2`,
    forUpdateSkippingLocked,
  ),
);
// A range and an order that orders_due_by_pet alone has, so that no engine follows another index, through orders that are not
// due or not of the pet, and none reads more than the limit.
const OF_PET = `workspace_id = $3 AND expires_at IS NOT NULL AND (pet_id, expires_at) >= ($2, 0)
  AND (pet_id, expires_at) <= ($2, shared_now($1)) AND id <> $4 ORDER BY pet_id, expires_at, id LIMIT $5`;
const expireOfPet = perEngine(({ forUpdate, forUpdateSkippingLocked }) => ({
  waiting: expire(OF_PET, forUpdate, 'workspace_id = $3 AND '),
  skipping: expire(OF_PET, forUpdateSkippingLocked, 'workspace_id = $3 AND '),
}));

/** Due orders are found in the order of their time and id. */
export interface DuePosition {
  expiresAt: number;
  id: number;
}

interface DuePlace extends DuePosition {
  petId: number;
  workspaceId: number;
  /** Whether its workspace is active, so that the order ends. */
  isEnding: boolean;
}

interface DueBatch {
  limit: number;
  exceptPets: readonly number[];
  /** Where they begin and end. */
  after: DuePosition;
  last: DuePosition;
}

/** An order that has ended because its time had come. */
export interface ExpiredOrder extends OrderRecord {
  workspaceId: number;
}

export class OrderReader extends Reader {
  async find(workspaceId: number, id: number): Promise<OrderRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && orderTable.recordOf(row);
  }

  list(
    workspaceId: number,
    filter: OrderFilter,
    page: PageRequest<OrderSort>,
  ): Promise<Page<OrderRecord>> {
    return listOrders(this.runner, orderTable, { workspaceId, filter, page });
  }

  /** Up to DUE_EXAMINED_MAX open orders of any workspace whose time has come, from a position on. */
  async listDue(now: number, after: DuePosition): Promise<DuePlace[]> {
    const rows = await this.runner.rows(listDue, [now, after.expiresAt, after.id]);
    return rows.map(([expiresAt, id, petId, workspaceId, state]) => {
      return { expiresAt, id, petId, workspaceId, isEnding: state === 'active' };
    });
  }
}

export class OrderWriter extends OrderReader {
  async findAndLock(workspaceId: number, id: number): Promise<OrderRecord | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && orderTable.recordOf(row);
  }

  /**
   * Takes or reserves the units, writes the order, its ledger row and its events: in one statement where the engine can. Runs
   * the steps on the other engine, and where the statement finds no such pet, a hold, or too few units.
   */
  async place(
    workspaceId: number,
    order: NewOrder,
    origin: PlaceOrigin,
    steps: () => Promise<number>,
  ): Promise<number> {
    const change = () => placeInOne(this.runner, { workspaceId, order, origin });
    return (await this.runner.commitSingle(change, steps)) ?? (await steps());
  }

  /** The ids of new orders, in the order in which they are given. */
  async insert(workspaceId: number, orders: readonly NewOrder[], at: number): Promise<number[]> {
    const rows = orders.map((order) => {
      const { petId, quantity, shipDate = null, complete, expiresAt = null } = order;
      const state = complete ? 'complete' : 'open';
      const times = [at, expiresAt, complete ? at : null];
      return [petId, workspaceId, quantity, shipDate, state, ...times, ...detailValues(order)];
    });
    const ids = (await this.runner.rowEach(insert, rows)).map((row) => row![0]);
    const worded = ids.filter((_, index) => hasWords(orders[index]!));
    await orderWords.add(this.runner, workspaceId, worded);
    return ids;
  }

  /** Changes or ends an open order, which was `before`. False when the order does not exist or has ended. */
  async update(workspaceId: number, order: OrderRecord, before = order): Promise<boolean> {
    const { id, quantity, shipDate = null, state } = order;
    const { expiresAt = null, endedAt = null, endReason = null } = order;
    const values = [id, workspaceId, quantity, shipDate, state, expiresAt, endedAt, endReason];
    const hasNewWords = order.customer !== before.customer || order.reference !== before.reference;
    if (hasNewWords) await orderWords.remove(this.runner, workspaceId, [id]);
    const isDone = (await this.runner.run(update, [...values, ...detailValues(order)])) === 1;
    if (hasNewWords) await orderWords.add(this.runner, workspaceId, [id]);
    return isDone;
  }

  /** Removes the name of the customer from an order that is locked, whatever its state. */
  async forgetCustomer(workspaceId: number, { customer: _, ...order }: OrderRecord): Promise<void> {
    await orderWords.remove(this.runner, workspaceId, [order.id]);
    const words = detailValues(order)[WORDS_AT]!;
    await this.runner.run(forgetCustomer, [order.id, workspaceId, words]);
    await orderWords.add(this.runner, workspaceId, [order.id]);
  }

  /**
   * Ends orders of active workspaces whose time has come, the oldest first. Skips those that others have locked and those
   * of the pets named.
   */
  async expireDue(
    now: number,
    { limit, exceptPets, after, last }: DueBatch,
  ): Promise<ExpiredOrder[]> {
    const pets = dialectOf(this.runner).list(exceptPets);
    const range = [after.expiresAt, after.id, last.expiresAt, last.id];
    const values = [now, limit, pets, ...range];
    return expiredOrdersOf(await this.runner.rows(expireOldest(this.runner), values));
  }

  /**
   * Ends up to `limit` orders of a pet whose time has come, the oldest first. It waits for those that others have locked, so
   * the caller must not hold a lock on the pet; with `except`, which names an order that the caller has locked, it skips them.
   */
  async expireDueOfPet(
    pet: { workspaceId: number; petId: number; limit: number; except?: number | undefined },
    now: number,
  ): Promise<ExpiredOrder[]> {
    const { workspaceId, petId, limit, except } = pet;
    const { waiting, skipping } = expireOfPet(this.runner);
    const chosen = except === undefined ? waiting : skipping;
    const values = [now, petId, workspaceId, except ?? 0, limit];
    return expiredOrdersOf(await this.runner.rows(chosen, values));
  }
}

/** Engines may return rows in any order. */
function expiredOrdersOf(rows: readonly Row[]): ExpiredOrder[] {
  return rows
    .map((row) => ({ ...orderTable.recordOf(row), workspaceId: row.at(-1) as number }))
    .toSorted((a, b) => a.id - b.id);
}
