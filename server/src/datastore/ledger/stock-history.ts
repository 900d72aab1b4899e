// The stock of pets as the ledger had it at a moment: what the last row of a pet that is not later has as "after". There is
// no index on time, because it would make every order slower. Ids and times of the ledger rise together, give or take
// DISORDER_MS, so a binary search over the primary key finds an id that none of those rows is above.

import sql, { join, type Sql } from 'sql-template-tag';
import type { StockRecord } from '../../domain/inventory.ts';
import { prefixConditions } from '../categories.ts';
import { boundedScan } from '../inventory.ts';
import { continueAfter, orderAndLimit, type Page, type PageRequest, pageOf } from '../page.ts';
import { query, Reader, statement } from '../runner.ts';
import { DISORDER_MS } from './ids-between.ts';

type CountRow = readonly [petId: number, quantity: number, reserved: number];

const findLastStamp = statement<readonly [at: number]>(
  'SELECT at FROM movements ORDER BY id DESC LIMIT 1',
);
// A binary search for the largest id that leads to a row with `at` <= $1 + DISORDER_MS. Every row with `at` <= $1 has an id
// up to that one.
const findHighestId = statement<readonly [movementId: number]>(
  `WITH RECURSIVE search (id, step) AS (
     SELECT CAST(0 AS BIGINT), CAST(${2 ** 52} AS BIGINT)
     UNION ALL
     SELECT CASE WHEN (
       SELECT at FROM movements WHERE movements.id >= search.id + step ORDER BY movements.id LIMIT 1
     ) <= CAST($1 AS BIGINT) + ${DISORDER_MS} THEN id + step ELSE id END, step / 2
     FROM search WHERE step > 0
   )
   SELECT MAX(id) FROM search`,
);

interface HistoryFilter {
  namePrefix?: string;
  categoryId?: number;
}

export class StockHistory extends Reader {
  /** The stamp of the newest row of the ledger; 0 when it has none. */
  async lastStamp(): Promise<number> {
    return (await this.runner.row(findLastStamp, []))?.[0] ?? 0;
  }

  /** Undefined when the workspace did not have the pet then. */
  async find(workspaceId: number, petId: number, asOf: number): Promise<StockRecord | undefined> {
    const pets = sql`SELECT id FROM pets
      WHERE id = ${petId} AND workspace_id = ${workspaceId}
        AND (deleted_at IS NULL OR deleted_at > ${asOf})`;
    const moment = { asOf, highest: await this.#highestId(asOf) };
    const [row] = await query<CountRow>(this.runner, countsOf(pets, moment));
    return row && stockOf(row);
  }

  /**
   * Name and category are those that a pet has now; a deleted pet has no category. A page may end early, because pets that
   * did not exist yet are scanned too. It then says where the next one begins.
   */
  async list(
    workspaceId: number,
    { asOf, namePrefix, categoryId }: HistoryFilter & { asOf: number },
    page: PageRequest,
  ): Promise<Page<StockRecord>> {
    const highest = await this.#highestId(asOf);
    if (highest === 0) return { items: [], hasMore: false };
    const listed = [
      sql`workspace_id = ${workspaceId}`,
      ...(categoryId === undefined ? [] : [sql`category_id = ${categoryId}`]),
      ...continueAfter(page),
    ];
    const isPresent = sql`deleted_at IS NULL`;
    const isDeleted = sql`deleted_at IS NOT NULL`;
    // Present and deleted pets have an index each that gives them in the order of the list.
    const halves = categoryId === undefined ? [isPresent, isDeleted] : [isPresent];
    const lists = halves.map((half) => [...listed, half]);
    const scan = await boundedScan(this.runner, lists, page);
    const wasThere = sql`(deleted_at IS NULL OR deleted_at > ${asOf})`;
    const filters = [wasThere, ...prefixConditions(namePrefix), ...scan.where];
    const counts = lists.map((list) => {
      const pets = sql`SELECT id FROM pets
        WHERE ${join([...list, ...filters], ' AND ')}`;
      return sql`SELECT id, quantity, reserved FROM (
        ${countsOf(pets, { asOf, highest })} ${orderAndLimit(page)}
      ) AS half`;
    });
    const rows = await query<CountRow>(
      this.runner,
      sql`${join(counts, ' UNION ALL ')} ${orderAndLimit(page)}`,
    );
    return scan.endOf(pageOf(rows, page.limit, stockOf));
  }

  /** No row of the ledger up to the moment has a higher id; 0 when all rows are later. */
  async #highestId(asOf: number): Promise<number> {
    return (await this.runner.row(findHighestId, [asOf]))![0];
  }
}

/** The counts of pets after their last row up to the moment. A pet without one did not exist yet. */
function countsOf(pets: Sql, { asOf, highest }: { asOf: number; highest: number }): Sql {
  return sql`SELECT pet.id AS id, last.quantity_after AS quantity, last.reserved_after AS reserved
    FROM (${pets}) AS pet JOIN movements last ON last.id = (
      SELECT id FROM movements WHERE pet_id = pet.id AND id <= ${highest} AND at <= ${asOf}
      ORDER BY id DESC LIMIT 1
    )`;
}

/** Holds are not history. */
function stockOf([petId, quantity, reserved]: CountRow): StockRecord {
  return { petId, stock: { quantity, reserved, held: false } };
}
