import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { MovementCause, MovementRecord, StockRecord } from '../domain/inventory.ts';
import { type PetStatus, petStatuses, type Stock } from '../domain/stock.ts';
import { prefixConditions } from './categories.ts';
import { Conflict } from './failures.ts';
import { continueAfter, orderAndLimit, type Page, type PageRequest, pageOf } from './page.ts';
import {
  insertion,
  insertRow,
  lockingStatement,
  query,
  Reader,
  type Runner,
  runChange,
  statement,
} from './runner.ts';

export type StockRow = readonly [petId: number, quantity: number, reserved: number, held: number];
export type MovementRow = readonly [
  id: number,
  petId: number,
  cause: MovementCause,
  quantityBefore: number,
  quantityAfter: number,
  reservedBefore: number,
  reservedAfter: number,
  orderId: number | null,
  reason: string | null,
  reference: string | null,
  keyId: string | null,
  at: number,
  reverses: number | null,
  reversedBy?: number | null,
];

export const MOVEMENT_COLUMNS = `pet_id, cause, quantity_before, quantity_after, reserved_before, reserved_after,
  order_id, reason, reference, key_id, at, reverses`;
const SHOWN_COLUMNS = `id, ${MOVEMENT_COLUMNS},
  (SELECT later.id FROM movements later WHERE later.reverses = movements.id) AS reversed_by`;
const findMovement = statement<MovementRow>(
  `SELECT ${SHOWN_COLUMNS} FROM movements WHERE id = $1 AND pet_id = $2`,
);
const find = statement<StockRow>(
  `SELECT id, quantity, reserved, held FROM pets
   WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`,
);
const lockStock = lockingStatement<readonly [quantity: number, reserved: number, held: number]>(
  'SELECT quantity, reserved, held FROM pets WHERE id = $1',
  'pets',
);
// The stock as it was read is part of the condition: if it has changed since, this touches no row.
const change = statement(
  `UPDATE pets SET quantity = $2, reserved = $3, held = $4
   WHERE id = $1 AND quantity = $5 AND reserved = $6 AND held = $7`,
);
const insertMovement = insertion(
  `INSERT INTO movements (${MOVEMENT_COLUMNS})
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);

/** No index serves `availableBelow`, since every order would pay for one. A request scans at most this many pets. */
const SCANNED_MAX = 20_000;

interface InventoryFilter {
  status?: PetStatus;
  availableBelow?: number;
  namePrefix?: string;
  categoryId?: number;
}

/** Who changed stock, when and why. */
export interface MovementOrigin {
  keyId: string;
  at: number;
  orderId?: number;
  reason?: string;
  reference?: string;
  /** The row of the ledger that the change takes back. */
  reverses?: number;
}

export class InventoryReader extends Reader {
  async find(workspaceId: number, petId: number): Promise<StockRecord | undefined> {
    const row = await this.runner.row(find, [petId, workspaceId]);
    return row && stockOf(row);
  }

  /** With `availableBelow` a page may end early. It then says where the next one begins. */
  async list(
    workspaceId: number,
    filter: InventoryFilter,
    page: PageRequest,
  ): Promise<Page<StockRecord>> {
    const { status, availableBelow, namePrefix, categoryId } = filter;
    const inCategory = categoryId === undefined ? [] : [sql`category_id = ${categoryId}`];
    const withStatus = status ? [sql`status = ${petStatuses.indexOf(status)}`] : [];
    const present = [
      sql`workspace_id = ${workspaceId} AND deleted_at IS NULL`,
      ...continueAfter(page),
    ];
    const where = [...present, ...inCategory, ...withStatus, ...prefixConditions(namePrefix)];
    if (availableBelow === undefined) return this.#page(where, page);
    // No index serves both filters, so with both of them all pets are scanned.
    const isNarrow = inCategory.length + withStatus.length === 1;
    const scanned = isNarrow ? [...present, ...inCategory, ...withStatus] : present;
    const scan = await boundedScan(this.runner, [scanned], page);
    const isBelow = sql`quantity - reserved < ${availableBelow}`;
    return scan.endOf(await this.#page([...where, ...scan.where, isBelow], page));
  }

  async #page(where: readonly Sql[], page: PageRequest): Promise<Page<StockRecord>> {
    const rows = await query<StockRow>(
      this.runner,
      sql`SELECT id, quantity, reserved, held FROM pets
          WHERE ${join([...where], ' AND ')} ${orderAndLimit(page)}`,
    );
    return pageOf(rows, page.limit, stockOf);
  }

  /** The ledger of a pet. Check first that the caller owns it. */
  async movements(petId: number, page: PageRequest) {
    const where = [sql`pet_id = ${petId}`, ...continueAfter(page)];
    const rows = await query<MovementRow>(
      this.runner,
      sql`SELECT ${raw(SHOWN_COLUMNS)} FROM movements
          WHERE ${join(where, ' AND ')} ${orderAndLimit(page)}`,
    );
    return pageOf(rows, page.limit, movementOf) satisfies Page<MovementRecord>;
  }
}

export class InventoryWriter extends InventoryReader {
  /** Locks and returns the stock of a pet whose row is known to exist. A deleted pet keeps its row. */
  async lockStock(petId: number): Promise<Stock> {
    const row = await this.runner.row(lockStock, [petId]);
    if (!row) throw new Error(`pet ${petId} has no row`);
    const [quantity, reserved, held] = row;
    return { quantity, reserved, held: held === 1 };
  }

  /** A row of the ledger of a pet that the caller has locked, so that nothing reverses it meanwhile. */
  async findMovement(petId: number, id: number): Promise<MovementRecord | undefined> {
    const row = await this.runner.row(findMovement, [id, petId]);
    return row && movementOf(row);
  }

  /** The first rows of many ledgers. */
  async openMany(
    pets: readonly { id: number; stock: Stock }[],
    origin: MovementOrigin,
  ): Promise<void> {
    if (pets.length === 0) return;
    const rows = pets.map(({ id, stock: { quantity } }) => {
      return sql`(${join([id, 'created', 0, quantity, 0, 0, origin.keyId, origin.at])})`;
    });
    await runChange(
      this.runner,
      sql`INSERT INTO movements (pet_id, cause, quantity_before, quantity_after,
            reserved_before, reserved_after, key_id, at) VALUES ${join(rows)}`,
    );
  }

  /**
   * Changes a pet's stock from what was read to what it becomes, and writes a ledger row if a count changes. These
   * change counts too: `orders.place`, `batches.changeStocks`, `dueOrders.release` and `audit.setReserved`.
   */
  async change(
    petId: number,
    before: Stock,
    after: Stock,
    origin: MovementOrigin & { cause: MovementCause },
  ): Promise<MovementRecord | undefined> {
    const isMoved = after.quantity !== before.quantity || after.reserved !== before.reserved;
    if (!isMoved && after.held === before.held) return undefined;
    const values = [petId, ...stockValues(after), ...stockValues(before)];
    if ((await this.runner.run(change, values)) !== 1)
      throw new Conflict('the stock changed after it was read');
    return isMoved ? this.#record(petId, origin.cause, before, after, origin) : undefined;
  }

  async #record(
    petId: number,
    cause: MovementCause,
    before: Stock,
    after: Stock,
    origin: MovementOrigin,
  ): Promise<MovementRecord> {
    const { orderId = null, reason = null, reference = null, keyId, at, reverses = null } = origin;
    const fields = [
      petId,
      cause,
      before.quantity,
      after.quantity,
      before.reserved,
      after.reserved,
      orderId,
      reason,
      reference,
      keyId,
      at,
      reverses,
    ] as const;
    const id = (await insertRow(this.runner, insertMovement, fields))!;
    return movementOf([id, ...fields]);
  }
}

/**
 * How far one request scans these lists of pets: as a condition, and as the end of a page that is not full by then. An index
 * must give each list by id: what a list leaves out is scanned without a bound.
 */
export async function boundedScan(
  runner: Runner,
  lists: readonly (readonly Sql[])[],
  { sort }: PageRequest,
) {
  const ends: number[] = [];
  for (const where of lists) {
    const last = await query<readonly [id: number]>(
      runner,
      sql`SELECT id FROM pets WHERE ${join([...where], ' AND ')}
          ORDER BY id ${raw(sort === 'id' ? 'ASC' : 'DESC')} LIMIT 1 OFFSET ${SCANNED_MAX - 1}`,
    );
    ends.push(...last.flat());
  }
  if (ends.length === 0) return { where: [], endOf: <T>(page: Page<T>) => page };
  const id = sort === 'id' ? Math.min(...ends) : Math.max(...ends);
  return {
    where: [sort === 'id' ? sql`id <= ${id}` : sql`id >= ${id}`],
    endOf: <T>(page: Page<T>): Page<T> =>
      page.hasMore ? page : { ...page, hasMore: true, end: { id } },
  };
}

function stockValues({ quantity, reserved, held }: Stock): [number, number, number] {
  return [quantity, reserved, held ? 1 : 0];
}

function stockOf([petId, quantity, reserved, held]: StockRow): StockRecord {
  return { petId, stock: { quantity, reserved, held: held === 1 } };
}

export function stocksByPet(rows: readonly StockRow[]): Map<number, Stock> {
  return new Map(rows.map(stockOf).map(({ petId, stock }) => [petId, stock]));
}

export function movementOf(row: MovementRow): MovementRecord {
  const [id, petId, cause, quantityBefore, quantityAfter, reservedBefore, reservedAfter] = row;
  const [, , , , , , , orderId, reason, reference, keyId, at, reverses, reversedBy] = row;
  return {
    id,
    petId,
    cause,
    quantityBefore,
    quantityAfter,
    reservedBefore,
    reservedAfter,
    ...(orderId === null ? {} : { orderId }),
    ...(reason === null ? {} : { reason }),
    ...(reference === null ? {} : { reference }),
    ...(keyId === null ? {} : { keyId }),
    at,
    ...(reverses === null ? {} : { reverses }),
    ...(reversedBy ? { reversedBy } : {}),
  };
}
