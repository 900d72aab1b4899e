// The statements of a batch of orders or counts. All rows of a step are one JSON value, so that one text serves any number
// of them and a step is one round trip.

import type { MovementRecord } from '../../domain/inventory.ts';
import type { NewOrder } from '../../domain/order.ts';
import type { Stock } from '../../domain/stock.ts';
import { dialectOf, jsonRows, perEngine } from '../dialect.ts';
import { Conflict } from '../failures.ts';
import { type StockRow, stocksByPet } from '../inventory.ts';
import { lockingStatement, type Runner, statement, type Value } from '../runner.ts';

type Ids = readonly [id: number];

// Every batch locks its pets by ascending id, so that no two of them deadlock.
const lockStocks = perEngine(({ isIn }) =>
  lockingStatement<StockRow>(
    `SELECT id, quantity, reserved, held FROM pets WHERE ${isIn('id', '$2')}
     AND +workspace_id = $1 AND deleted_at IS NULL ORDER BY id`,
  ),
);
// The stock as it was read is part of the condition: if it has changed since, this touches fewer rows.
const change = perEngine(({ recordSet }) =>
  statement(
    `UPDATE pets SET quantity = r.f2, reserved = r.f3 FROM ${recordSet('$1', Array(5).fill('BIGINT'))}
     WHERE pets.id = r.f1 AND pets.quantity = r.f4 AND pets.reserved = r.f5`,
  ),
);
const NEW_ORDER_COLUMNS =
  'pet_id, workspace_id, quantity, ship_date, complete, created_at, expires_at';
const insertOrders = insertInto('orders', NEW_ORDER_COLUMNS, Array(7).fill('BIGINT'));
const NEW_MOVEMENT_COLUMNS = `pet_id, cause, quantity_before, quantity_after, reserved_before, reserved_after,
  order_id, reason, reference, key_id, at`;
const insertMovements = insertInto('movements', NEW_MOVEMENT_COLUMNS, [
  'BIGINT',
  'TEXT',
  'BIGINT',
  'BIGINT',
  'BIGINT',
  'BIGINT',
  'BIGINT',
  'TEXT',
  'TEXT',
  'TEXT',
  'BIGINT',
]);

/** A change of the stock of one pet. */
export interface StockChange {
  petId: number;
  before: Stock;
  after: Stock;
}

export class StockBatchWriter {
  readonly #runner: Runner;
  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** The stock of those pets that the workspace has, locked until the transaction ends. */
  async lockStocks(workspaceId: number, petIds: readonly number[]): Promise<Map<number, Stock>> {
    const values = [workspaceId, dialectOf(this.#runner).list(petIds)];
    const rows = await this.#runner.rows(lockStocks(this.#runner), values);
    return stocksByPet(rows);
  }

  /** Changes the counts of pets that are locked, each pet once. `insertMovements` writes their ledger. */
  async changeStocks(changes: readonly StockChange[]): Promise<void> {
    const rows = changes.map(({ petId, before, after }) => {
      return [petId, after.quantity, after.reserved, before.quantity, before.reserved];
    });
    if (rows.length === 0) return;
    if ((await this.#runner.run(change(this.#runner), [jsonRows(rows)])) !== rows.length) {
      throw new Conflict('the stock changed under a lock');
    }
  }

  /** The ids of new orders, in the order in which they are given. */
  insertOrders(workspaceId: number, orders: readonly NewOrder[], at: number): Promise<number[]> {
    const rows = orders.map(({ petId, quantity, shipDate = null, complete, expiresAt = null }) => {
      return [petId, workspaceId, quantity, shipDate, complete ? 1 : 0, at, expiresAt];
    });
    return this.#insertAll(insertOrders, rows);
  }

  /** The ids of new rows of the ledger, in the order in which they are given. */
  insertMovements(movements: readonly Omit<MovementRecord, 'id'>[]): Promise<number[]> {
    const rows = movements.map((row) => {
      const { petId, cause, quantityBefore, quantityAfter, reservedBefore, reservedAfter } = row;
      const { orderId = null, reason = null, reference = null, keyId = null, at } = row;
      const counts = [quantityBefore, quantityAfter, reservedBefore, reservedAfter];
      return [petId, cause, ...counts, orderId, reason, reference, keyId, at];
    });
    return this.#insertAll(insertMovements, rows);
  }

  async #insertAll(insert: typeof insertOrders, rows: readonly Value[][]): Promise<number[]> {
    if (rows.length === 0) return [];
    const inserted = await this.#runner.rows(insert(this.#runner), [jsonRows(rows)]);
    // Ids are drawn in the order of the rows, but may be returned in another.
    return inserted.map(([id]) => id).sort((a, b) => a - b);
  }
}

function insertInto(table: string, columns: string, types: readonly ('BIGINT' | 'TEXT')[]) {
  const fields = types.map((_, at) => `r.f${at + 1}`).join(', ');
  return perEngine(({ recordSet }) =>
    statement<Ids>(
      `INSERT INTO ${table} (${columns})
       SELECT ${fields} FROM ${recordSet('$1', types)} WHERE true ORDER BY r.n RETURNING id`,
    ),
  );
}
