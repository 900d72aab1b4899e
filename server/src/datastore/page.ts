import sql, { raw, type Sql } from 'sql-template-tag';
import type { Position } from '../lib/cursor.ts';

export interface PageRequest<Sort extends string = 'id'> {
  limit: number;
  sort: Sort | `-${Sort}`;
  after?: Position;
}

export interface Page<T> {
  items: T[];
  hasMore: boolean;
  /** Where the next page continues; absent if that is after the last item. */
  end?: Position;
}

// Column names come from this table, never from a request.
const columns: Record<string, Sql> = { id: raw('id'), name: raw('name') };

/** The condition that continues after a page. Keyset paging: its cost does not grow with depth. */
export function continueAfter(page: PageRequest<string>): Sql[] {
  if (!page.after) return [];
  const { column, isDescending } = sortingOf(page.sort);
  const { id, key } = page.after;
  if (column === 'id') {
    // The ids of API keys are texts, which a position carries as its sort key.
    const last = key ?? id;
    return [isDescending ? sql`id < ${last}` : sql`id > ${last}`];
  }
  const name = columns[column]!;
  return [
    isDescending ? sql`(${name}, id) < (${key}, ${id})` : sql`(${name}, id) > (${key}, ${id})`,
  ];
}

/** ORDER BY and LIMIT. One row more than requested shows whether there is a next page. */
export function orderAndLimit(page: PageRequest<string>): Sql {
  const { column, isDescending } = sortingOf(page.sort);
  const direction = raw(isDescending ? 'DESC' : 'ASC');
  const order =
    column === 'id' ? sql`id ${direction}` : sql`${columns[column]!} ${direction}, id ${direction}`;
  return sql`ORDER BY ${order} LIMIT ${page.limit + 1}`;
}

export function pageOf<R, T>(rows: R[], limit: number, itemOf: (row: R) => T): Page<T> {
  const hasMore = rows.length > limit;
  if (hasMore) rows.length = limit;
  return { items: rows.map(itemOf), hasMore };
}

/** A page with each record in another shape. */
export function mapPage<R, V>(page: Page<R>, shapeOf: (record: R) => V): Page<V> {
  return { ...page, items: page.items.map(shapeOf) };
}

function sortingOf(sort: string): { column: string; isDescending: boolean } {
  const isDescending = sort.startsWith('-');
  const column = isDescending ? sort.slice(1) : sort;
  if (!Object.hasOwn(columns, column)) throw new Error(`no sort by ${column}`);
  return { column, isDescending };
}
