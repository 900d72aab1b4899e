// The stock of pets and the one way to change it: `record` writes the new counts and a row of the ledger for each step. The
// exceptions are single statements of PostgreSQL: `orders.place` and `pets.create`. A suite proves that they write the same.

import type { MovementCause, MovementRecord, StockRecord } from '../domain/inventory.ts';
import type { Stock } from '../domain/stock.ts';
import { dialectOf, perEngine } from './dialect.ts';
import { Conflict } from './failures.ts';
import { list, listThese, type Page, type PageRequest } from './list.ts';
import { type PetFilter, petPath, stockFields } from './pets.ts';
import { lockingStatement, Reader, type Row, statement } from './runner.ts';
import { plain, Table } from './table.ts';

const stockTable = new Table<Stock & { petId: number }>('pets', {
  key: ['workspace_id', 'id'],
  fields: { petId: plain('id'), ...stockFields },
});
const { columns } = stockTable;
const find = statement<Row>(
  `SELECT ${columns} FROM pets WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`,
);
// A deleted pet keeps its row, and its open orders were ended before.
const lock = lockingStatement<Row>(
  `SELECT ${columns} FROM pets WHERE id = $1 AND workspace_id = $2`,
  'pets',
);
// Every unit locks its pets by ascending id, so that no two of them deadlock: they are found in the order of the list.
const lockMany = perEngine(({ rowsWithIds }) =>
  lockingStatement<Row>(
    `SELECT ${columns.map((column) => `pet.${column}`)}
     FROM ${rowsWithIds('pets', { list: '$1', workspace: '$2', name: 'pet' })}
     WHERE pet.workspace_id = $2 AND pet.deleted_at IS NULL`,
  ),
);
// The stock as it was read is part of the condition: if it has changed since, this touches no row.
const change = statement(
  `UPDATE pets SET quantity = $3, reserved = $4, held = $5,
     moved_at = CASE WHEN moved_at > $6 THEN moved_at ELSE $6 END
   WHERE id = $1 AND workspace_id = $2 AND quantity = $7 AND reserved = $8 AND held = $9
     AND deleted_at IS NULL`,
);
const hold = statement(
  `UPDATE pets SET held = $3
   WHERE id = $1 AND workspace_id = $2 AND quantity = $4 AND reserved = $5 AND held = $6`,
);
// The pet has the time of its last row, so that no row is earlier than the one before it.
const insertMovement = statement<readonly [id: number, at: number]>(
  `INSERT INTO movements (workspace_id, pet_id, cause, quantity_before, quantity_after,
     reserved_before, reserved_after, order_id, reason, reference, key_id, reverses, at)
   SELECT workspace_id, id, $3, CAST($4 AS BIGINT), CAST($5 AS BIGINT), CAST($6 AS BIGINT),
     CAST($7 AS BIGINT), CAST($8 AS BIGINT), $9, $10, $11, CAST($12 AS BIGINT),
     CASE WHEN moved_at > $13 THEN moved_at ELSE CAST($13 AS BIGINT) END
   FROM pets WHERE id = $1 AND workspace_id = $2 RETURNING id, at`,
);
const markReversed = statement(
  `UPDATE movements SET reversed_by = $3
   WHERE id = $1 AND workspace_id = $2 AND reversed_by IS NULL`,
);

/** A change of the stock of one pet, and what its row of the ledger says about it. */
export interface StockStep {
  petId: number;
  before: Stock;
  after: Stock;
  cause: MovementCause;
  orderId?: number | undefined;
  reason?: string | undefined;
  reference?: string | undefined;
  keyId?: string | undefined;
  /** The row of the ledger that the step takes back. */
  reverses?: number | undefined;
}

export class StockReader extends Reader {
  async find(workspaceId: number, petId: number): Promise<StockRecord | undefined> {
    const row = await this.runner.row(find, [petId, workspaceId]);
    return row && stockOf(row);
  }

  list(
    workspaceId: number,
    { ids, ...filter }: PetFilter & { ids?: readonly number[] },
    page: PageRequest,
  ): Promise<Page<StockRecord>> {
    const path = petPath(workspaceId, filter, page.sort);
    const stock = { ...path, table: 'pets', columns, itemOf: stockOf };
    if (ids) return listThese(this.runner, [...new Set(ids)], stock, page);
    return list(this.runner, stock, page);
  }
}

export class StockWriter extends StockReader {
  /** The stock of a pet whose row is known to exist, locked until the transaction ends. */
  async lock(workspaceId: number, petId: number): Promise<Stock> {
    const row = await this.runner.row(lock, [petId, workspaceId]);
    if (!row) throw new Error(`pet ${petId} has no row`);
    return stockOf(row).stock;
  }

  /** The stock of those pets that the workspace has, locked until the transaction ends. */
  async lockMany(workspaceId: number, petIds: readonly number[]): Promise<Map<number, Stock>> {
    const ids = dialectOf(this.runner).list(petIds.toSorted((a, b) => a - b));
    const rows = await this.runner.rows(lockMany(this.runner), [ids, workspaceId]);
    return new Map(rows.map(stockOf).map(({ petId, stock }) => [petId, stock]));
  }

  /**
   * Makes each step, in this order. The pets are locked; those of `created` were inserted with their counts. Returns the
   * rows of the ledger; undefined for a step that changes no count.
   */
  async record(
    workspaceId: number,
    steps: readonly StockStep[],
    at: number,
  ): Promise<(MovementRecord | undefined)[]> {
    const isMoved = ({ before, after }: StockStep) =>
      after.quantity !== before.quantity || after.reserved !== before.reserved;
    const held = steps.filter((step) => !isMoved(step) && step.after.held !== step.before.held);
    const moved = steps.filter((step) => step.cause === 'created' || isMoved(step));
    const changed = wholeChanges(moved.filter(({ cause }) => cause !== 'created'));
    const touched =
      (await this.runner.runEach(
        hold,
        held.map((step) => holdValues(workspaceId, step)),
      )) +
      (await this.runner.runEach(
        change,
        changed.map((step) => changeValues(workspaceId, step, at)),
      ));
    if (touched !== held.length + changed.length) throw new Conflict('the stock has changed');
    const movements = (await this.insertMovements(workspaceId, moved, at)).values();
    const recorded = new Set(moved);
    return steps.map((step) => (recorded.has(step) ? movements.next().value : undefined));
  }

  /** Adds rows to the ledger. `record` alone changes counts with them. */
  async insertMovements(
    workspaceId: number,
    steps: readonly StockStep[],
    at: number,
  ): Promise<MovementRecord[]> {
    const values = steps.map((step) => movementValues(workspaceId, step, at));
    const rows = await this.runner.rowEach(insertMovement, values);
    const movements = steps.map((step, index) => movementOf(step, ...rows[index]!));
    const reversing = movements.filter(({ reverses }) => reverses !== undefined);
    const marks = reversing.map(({ id, reverses }) => [reverses!, workspaceId, id]);
    if ((await this.runner.runEach(markReversed, marks)) !== marks.length) {
      throw new Conflict('the movement was reversed');
    }
    return movements;
  }
}

/** What all steps together make of each pet: a row that a transaction changes again and again gets slow. */
function wholeChanges(steps: readonly StockStep[]): StockStep[] {
  const changes = new Map<number, StockStep>();
  for (const step of steps) {
    changes.set(step.petId, { ...step, before: changes.get(step.petId)?.before ?? step.before });
  }
  return [...changes.values()];
}

function holdValues(workspaceId: number, { petId, before, after }: StockStep) {
  return [petId, workspaceId, +after.held, before.quantity, before.reserved, +before.held];
}

function changeValues(workspaceId: number, { petId, before, after }: StockStep, at: number) {
  const counts = [after.quantity, after.reserved, +after.held];
  return [petId, workspaceId, ...counts, at, before.quantity, before.reserved, +before.held];
}

function movementValues(workspaceId: number, step: StockStep, at: number) {
  const { petId, cause, before, after, orderId = null, reason = null, reference = null } = step;
  const counts = [before.quantity, after.quantity, before.reserved, after.reserved];
  const { keyId = null, reverses = null } = step;
  return [petId, workspaceId, cause, ...counts, orderId, reason, reference, keyId, reverses, at];
}

function movementOf(step: StockStep, id: number, at: number): MovementRecord {
  const { petId, cause, before, after, orderId, reason, reference, keyId, reverses } = step;
  return {
    id,
    petId,
    cause,
    quantityBefore: before.quantity,
    quantityAfter: after.quantity,
    reservedBefore: before.reserved,
    reservedAfter: after.reserved,
    ...(orderId === undefined ? {} : { orderId }),
    ...(reason === undefined ? {} : { reason }),
    ...(reference === undefined ? {} : { reference }),
    ...(keyId === undefined ? {} : { keyId }),
    at,
    ...(reverses === undefined ? {} : { reverses }),
  };
}

function stockOf(row: Row): StockRecord {
  const { petId, ...stock } = stockTable.recordOf(row);
  return { petId, stock };
}
