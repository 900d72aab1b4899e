import sql, { join } from 'sql-template-tag';
import type { OrderRecord } from '../../domain/order.ts';
import type { Stock } from '../../domain/stock.ts';
import { dialectOf, perEngine } from '../dialect.ts';
import { type StockRow, stocksByPet } from '../inventory.ts';
import { ORDER_COLUMNS, type OrderRow, orderOf } from '../orders.ts';
import { query, queryAndLock, Reader, runChange, statement } from '../runner.ts';

/** An order that was deleted because its time had come. */
export interface DueOrder extends OrderRecord {
  workspaceId: number;
}

/** The release of the units of one order. */
export interface Release {
  order: DueOrder;
  before: Stock;
  after: Stock;
}

type DueRow = readonly [...OrderRow, workspaceId: number];

// A node whose clock is wrong must not end anybody's orders, so the database decides what time it is.
const DUE = 'complete = 0 AND expires_at <= shared_now($1)';
// The plus keeps both engines from an index that does not lead to the few orders which are due.
const DUE_OF_PET = `${DUE} AND +pet_id = $2 AND +workspace_id = $3 AND id <> $4`;
const findDue = statement<readonly [id: number]>(`SELECT id FROM orders WHERE ${DUE} LIMIT 1`);
// One statement finds the orders, locks them and deletes them. An order that another transaction completes, changes or
// ends is therefore either skipped or seen as that transaction has left it, and only one transaction gets each row.
const take = (due: string, lock: string) =>
  statement<DueRow>(
    `WITH due AS MATERIALIZED (SELECT id FROM orders WHERE ${due}${lock})
     DELETE FROM orders WHERE id IN (SELECT id FROM due) RETURNING ${ORDER_COLUMNS}, workspace_id`,
  );
const OF_PET = `${DUE_OF_PET} ORDER BY id`;
const takeOldest = perEngine(({ isIn, forUpdateSkippingLocked }) =>
  take(
    `${DUE} AND NOT (${isIn('pet_id', '$3')}) ORDER BY expires_at LIMIT $2`,
    forUpdateSkippingLocked,
  ),
);
const takeOfPet = perEngine(({ forUpdate, forUpdateSkippingLocked }) => ({
  waiting: take(OF_PET, forUpdate),
  skipping: take(OF_PET, forUpdateSkippingLocked),
}));

export class DueOrderReader extends Reader {
  /** Whether the time of an open order has come. Like all of this, it goes by `shared_now`. */
  async exist(now: number): Promise<boolean> {
    return (await this.runner.row(findDue, [now])) !== undefined;
  }
}

export class DueOrderWriter extends DueOrderReader {
  /**
   * Deletes orders of any workspace whose time has come, the oldest first. Skips those that others have locked and those
   * of the pets named.
   */
  async take(
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
  async takeOfPet(
    pet: { workspaceId: number; petId: number; except?: number | undefined },
    now: number,
  ): Promise<DueOrder[]> {
    const { workspaceId, petId, except } = pet;
    const statements = takeOfPet(this.runner);
    const chosen = except === undefined ? statements.waiting : statements.skipping;
    const rows = await this.runner.rows(chosen, [now, petId, workspaceId, except ?? 0]);
    return dueOrdersOf(rows);
  }

  /** The stock of these pets, locked in the order of their ids so that no two transactions wait for each other. */
  async lockStocks(petIds: readonly number[]): Promise<Map<number, Stock>> {
    const rows = await queryAndLock<StockRow>(
      this.runner,
      sql`SELECT id, quantity, reserved, held FROM pets
          WHERE id IN (${join([...petIds])}) ORDER BY id`,
    );
    return stocksByPet(rows);
  }

  /** Writes the stock and the ledger rows. Returns the ids of the ledger rows in the order of the releases. */
  async release(releases: readonly Release[], { at, reason }: { at: number; reason: string }) {
    const last = new Map(releases.map(({ order, after }) => [order.petId, after.reserved]));
    const stocks = [...last].map(
      ([petId, reserved]) => sql`(CAST(${petId} AS BIGINT), CAST(${reserved} AS BIGINT))`,
    );
    await runChange(
      this.runner,
      sql`UPDATE pets SET reserved = stock.column2
          FROM (VALUES ${join(stocks)}) AS stock WHERE pets.id = stock.column1`,
    );
    const rows = releases.map(({ order, before, after }) => {
      const counts = [before.quantity, after.quantity, before.reserved, after.reserved];
      return sql`(${join([order.petId, 'released', ...counts, order.id, reason, at])})`;
    });
    const written = await query<readonly [id: number, orderId: number]>(
      this.runner,
      sql`INSERT INTO movements (pet_id, cause, quantity_before, quantity_after, reserved_before,
            reserved_after, order_id, reason, at)
          VALUES ${join(rows)} RETURNING id, order_id`,
    );
    const ids = new Map(written.map(([id, orderId]) => [orderId, id]));
    return releases.map(({ order }) => ids.get(order.id)!);
  }
}

/** Engines may return rows in any order. */
function dueOrdersOf(rows: readonly DueRow[]): DueOrder[] {
  return rows
    .toSorted(([a], [b]) => a - b)
    .map((row) => ({ ...orderOf(row as unknown as OrderRow), workspaceId: row[7] }));
}
