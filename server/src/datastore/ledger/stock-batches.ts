// The statements of a batch of orders or counts. PostgreSQL gets all rows of a step as one JSON value, so that one text
// serves any number of them and a step is one round trip. SQLite has no round trips. It inserts many rows at a time all the
// same, because RETURNING costs as much for many rows as for one.

import type { MovementRecord } from '../../domain/inventory.ts';
import type { NewOrder } from '../../domain/order.ts';
import type { Stock } from '../../domain/stock.ts';
import { chunksOf } from '../../lib/chunks.ts';
import { Conflict } from '../failures.ts';
import { type StockRow, stocksByPet } from '../inventory.ts';
import { idList, lockingStatement, type Runner, statement, type Value } from '../runner.ts';

/** How many rows SQLite inserts at a time; fewer are inserted one by one, so that there are two texts. */
const CHUNK_ROWS = 50;

type Ids = readonly [id: number];

// Every batch locks its pets by ascending id, so that no two of them deadlock.
const lockStocks = {
  sqlite: statement<StockRow>(
    `SELECT id, quantity, reserved, held FROM pets WHERE +workspace_id = $1 AND deleted_at IS NULL
     AND id IN (SELECT value FROM json_each($2)) ORDER BY id`,
  ),
  postgres: lockingStatement<StockRow>(
    `SELECT id, quantity, reserved, held FROM pets WHERE workspace_id = $1 AND deleted_at IS NULL
     AND id = ANY (CAST($2 AS BIGINT[])) ORDER BY id`,
  ),
};
// The stock as it was read is part of the condition: if it has changed since, this touches fewer rows.
const change = {
  sqlite: statement(
    `UPDATE pets SET quantity = $2, reserved = $3 WHERE id = $1 AND quantity = $4 AND reserved = $5`,
  ),
  postgres: statement(
    `UPDATE pets SET quantity = r.f2, reserved = r.f3 FROM ${recordSet(Array<string>(5).fill('BIGINT'))}
     WHERE pets.id = r.f1 AND pets.quantity = r.f4 AND pets.reserved = r.f5`,
  ),
};
const NEW_ORDER_COLUMNS =
  'pet_id, workspace_id, quantity, ship_date, complete, created_at, expires_at';
const insertOrders = insertInto('orders', NEW_ORDER_COLUMNS, Array<string>(7).fill('BIGINT'));
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
    const values = [workspaceId, idList(this.#runner, petIds)];
    const rows = await this.#runner.rows(lockStocks[this.#runner.engine], values);
    return stocksByPet(rows);
  }

  /** Changes the counts of pets that are locked, each pet once. `insertMovements` writes their ledger. */
  async changeStocks(changes: readonly StockChange[]): Promise<void> {
    const rows = changes.map(({ petId, before, after }) => {
      return [petId, after.quantity, after.reserved, before.quantity, before.reserved];
    });
    if ((await this.#runAll(change, rows)) !== rows.length) {
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

  async #runAll(statements: typeof change, rows: readonly Value[][]): Promise<number> {
    if (rows.length === 0) return 0;
    if (this.#runner.engine === 'postgres') {
      return this.#runner.run(statements.postgres, [recordsOf(rows)]);
    }
    let touched = 0;
    for (const row of rows) touched += await this.#runner.run(statements.sqlite, row);
    return touched;
  }

  async #insertAll(statements: typeof insertOrders, rows: readonly Value[][]): Promise<number[]> {
    if (rows.length === 0) return [];
    if (this.#runner.engine === 'postgres') {
      const inserted = await this.#runner.rows(statements.postgres, [recordsOf(rows)]);
      // Ids are drawn in the order of the rows, but may be returned in another.
      return inserted.map(([id]) => id).sort((a, b) => a - b);
    }
    const ids: number[] = [];
    for (const chunk of chunksOf(rows, CHUNK_ROWS)) {
      ids.push(...(await this.#insertChunk(statements, chunk)));
    }
    return ids;
  }

  async #insertChunk({ sqlite }: typeof insertOrders, rows: readonly Value[][]) {
    if (rows.length === CHUNK_ROWS) {
      const inserted = await this.#runner.rows(sqlite.many, rows.flat());
      return inserted.map(([id]) => id).sort((a, b) => a - b);
    }
    const ids: number[] = [];
    for (const row of rows) ids.push((await this.#runner.row(sqlite.one, row))![0]);
    return ids;
  }
}

function insertInto(table: string, columns: string, types: readonly string[]) {
  const insert = `INSERT INTO ${table} (${columns})`;
  const fields = types.map((_, at) => `r.f${at + 1}`).join(', ');
  const valuesOf = (count: number) => {
    const rows = Array.from({ length: count }, (_, row) => {
      const numbers = types.map((_, at) => `$${row * types.length + at + 1}`);
      return `(${numbers.join(', ')})`;
    });
    return statement<Ids>(`${insert} VALUES ${rows.join(', ')} RETURNING id`);
  };
  return {
    sqlite: { one: valuesOf(1), many: valuesOf(CHUNK_ROWS) },
    postgres: statement<Ids>(
      `${insert} SELECT ${fields} FROM ${recordSet(types)} ORDER BY r.n RETURNING id`,
    ),
  };
}

/** The rows of `recordsOf`, as a table `r` with the number of each row and its fields f1, f2 … */
function recordSet(types: readonly string[]): string {
  const fields = types.map((type, at) => `f${at + 1} ${type}`).join(', ');
  return `json_to_recordset(CAST($1 AS JSON)) AS r (n BIGINT, ${fields})`;
}

function recordsOf(rows: readonly Value[][]): string {
  const records = rows.map((row, n) => {
    return { n, ...Object.fromEntries(row.map((value, at) => [`f${at + 1}`, value])) };
  });
  return JSON.stringify(records);
}
