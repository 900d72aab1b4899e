// The ledger: of a pet, of a whole workspace, and the stock as it was at a moment. Rows of one pet are in the order of their
// times, so an index on time leads to the last row of a pet that is not later than a moment.

import sql, { join, type Sql } from 'sql-template-tag';
import type { MovementCause, MovementRecord, StockRecord } from '../domain/inventory.ts';
import { namedLike } from './categories.ts';
import { rowsOf } from './dialect.ts';
import { byId, list, type Page, type PageRequest } from './list.ts';
import { petWords } from './pets.ts';
import { query, Reader, type Row, statement } from './runner.ts';
import { optional, plain, Table } from './table.ts';

export const movementTable = new Table<MovementRecord>('movements', {
  key: ['workspace_id', 'id'],
  fields: {
    id: plain('id'),
    petId: plain('pet_id'),
    cause: plain('cause'),
    quantityBefore: plain('quantity_before'),
    quantityAfter: plain('quantity_after'),
    reservedBefore: plain('reserved_before'),
    reservedAfter: plain('reserved_after'),
    orderId: optional('order_id'),
    reason: optional('reason'),
    reference: optional('reference'),
    keyId: optional('key_id'),
    at: plain('at'),
    reverses: optional('reverses'),
    reversedBy: optional('reversed_by'),
  },
});

const find = statement<Row>(
  `SELECT ${movementTable.columns} FROM movements
   WHERE id = $1 AND workspace_id = $2 AND pet_id = $3`,
);
/** How many workspaces one look at the ends of the ledgers takes in, those with the lowest ids. */
const ENDS_MAX = 1_000;
const findNewest = statement<readonly [workspaceId: number, at: number]>(
  `SELECT id, newest FROM (
     SELECT id, (SELECT at FROM movements WHERE workspace_id = first.id ORDER BY at DESC LIMIT 1) AS newest
     FROM (SELECT id FROM workspaces WHERE erased_at IS NULL ORDER BY id LIMIT ${ENDS_MAX}) AS first) AS ends
   WHERE newest IS NOT NULL ORDER BY newest DESC LIMIT 1`,
);
const byTime = [{ name: 'at', type: 'number' } as const, ...byId];

export interface LedgerFilter {
  petId?: number | undefined;
  cause?: MovementCause | undefined;
  keyId?: string | undefined;
  /** Included. */
  from?: number | undefined;
  /** Excluded. */
  to?: number | undefined;
}

interface HistoryFilter {
  asOf: number;
  namePrefix?: string;
  words?: readonly string[];
  categoryId?: number;
}

type CountRow = readonly [petId: number, quantity: number, reserved: number, id: number];

export class LedgerReader extends Reader {
  /** A row of the ledger of a pet. */
  async find(workspaceId: number, petId: number, id: number): Promise<MovementRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId, petId]);
    return row && movementTable.recordOf(row);
  }

  /** When the newest row was written, and in which workspace. Of each workspace that it looks at it reads one row. */
  async newest(): Promise<{ workspaceId: number; at: number } | undefined> {
    const row = await this.runner.row(findNewest, []);
    return row && { workspaceId: row[0], at: row[1] };
  }

  /** Rows of deleted pets are included. With a period, rows come in the order of their times, which a pet's always do. */
  list(
    workspaceId: number,
    { petId, cause, keyId, from, to }: LedgerFilter,
    page: PageRequest,
  ): Promise<Page<MovementRecord>> {
    const filters = [
      ...(cause === undefined ? [] : [sql`cause = ${cause}`]),
      ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ];
    const isByTime = petId !== undefined || from !== undefined || to !== undefined;
    return list(
      this.runner,
      {
        table: 'movements',
        columns: movementTable.columns,
        itemOf: (row: Row) => movementTable.recordOf(row),
        workspaceId,
        where: sql`workspace_id = ${workspaceId}`,
        along: petId === undefined ? undefined : { column: 'pet_id', value: petId },
        order: isByTime ? byTime : byId,
        within: { from, to },
        filters,
      },
      page,
    );
  }

  /** The stock of a pet at a moment; undefined when the workspace did not have the pet then. */
  async stockAsOf(
    workspaceId: number,
    petId: number,
    asOf: number,
  ): Promise<StockRecord | undefined> {
    return (await this.#counts(workspaceId, [petId], asOf, [wasThere(asOf)])).get(petId);
  }

  /** The stock of all pets at a moment. Name and category are those that a pet has now; a deleted pet has no category. */
  async listAsOf(
    workspaceId: number,
    { asOf, namePrefix, words = [], categoryId }: HistoryFilter,
    page: PageRequest,
  ): Promise<Page<StockRecord>> {
    const named = [...namedLike(namePrefix), ...petWords.startingWith(workspaceId, words)];
    const { items, ...rest } = await list(
      this.runner,
      {
        table: 'pets',
        columns: ['id'],
        itemOf: ([id]: readonly [id: number]) => id,
        workspaceId,
        where:
          categoryId === undefined
            ? sql`workspace_id = ${workspaceId}`
            : sql`workspace_id = ${workspaceId} AND deleted_at IS NULL`,
        along: categoryId === undefined ? undefined : { column: 'category_id', value: categoryId },
        order: byId,
        filters: [wasThere(asOf), ...named.flatMap(({ where }) => where)],
      },
      page,
    );
    const counts = await this.#counts(workspaceId, items, asOf);
    return { ...rest, items: items.map((id) => counts.get(id)!) };
  }

  /**
   * What the last row of each of these pets that is not later than the moment has as "after". Holds are not recorded. The row
   * is found in an order that movements_by_pet alone has, so that no engine looks for it among the rows of other pets.
   */
  async #counts(
    workspaceId: number,
    petIds: readonly number[],
    asOf: number,
    filters: readonly Sql[] = [],
  ): Promise<Map<number, StockRecord>> {
    const where = sql`workspace_id = ${workspaceId}`;
    const pets = rowsOf(this.runner, 'pets', { workspaceId, ids: petIds });
    const found = await query<readonly [petId: number, lastId: number | null]>(
      this.runner,
      sql`SELECT pet, (
            SELECT id FROM movements
            WHERE workspace_id = ${workspaceId} AND (pet_id, at) <= (pet, ${asOf})
            ORDER BY pet_id DESC, at DESC, id DESC LIMIT 1
          ) FROM (SELECT id AS pet FROM ${pets} WHERE ${join([where, ...filters], ' AND ')}) AS wanted`,
      workspaceId,
    );
    const ids = [...new Set(found.flatMap(([, lastId]) => lastId ?? []))];
    const last = rowsOf(this.runner, 'movements', { workspaceId, ids });
    const rows = await query<CountRow>(
      this.runner,
      sql`SELECT pet_id, quantity_after, reserved_after, id FROM ${last} WHERE ${where}`,
      workspaceId,
    );
    const lastIds = new Map(found);
    // A pet without a row that early has found one of another pet.
    const own = rows.filter(([petId, , , id]) => lastIds.get(petId) === id);
    return new Map(
      own.map(([petId, quantity, reserved]) => {
        return [petId, { petId, stock: { quantity, reserved, held: false } }];
      }),
    );
  }
}

function wasThere(asOf: number): Sql {
  return sql`created_at <= ${asOf} AND (deleted_at IS NULL OR deleted_at > ${asOf})`;
}
