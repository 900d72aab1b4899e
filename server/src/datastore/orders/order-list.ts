import sql from 'sql-template-tag';
import type { OrderRecord } from '../../domain/order.ts';
import { EXAMINED_MAX, type List, list, type Page, type PageRequest } from '../list.ts';
import type { Row, Runner } from '../runner.ts';
import type { Table } from '../table.ts';
import { type OrderFilter, pathById, pathByShipDate, statesOf } from './order-path.ts';

export type OrderSort = 'id' | 'shipDate';
type Orders = Pick<List<Row, OrderRecord>, 'table' | 'columns' | 'itemOf'>;

interface OrderQuery {
  workspaceId: number;
  filter: OrderFilter;
  page: PageRequest<OrderSort>;
}

export async function listOrders(
  runner: Runner,
  table: Table<OrderRecord>,
  query: OrderQuery,
): Promise<Page<OrderRecord>> {
  const { workspaceId, filter, page } = query;
  if (statesOf(filter).length === 0) return { items: [], hasMore: false };
  const { name, columns } = table;
  const orders = { table: name, columns, itemOf: (row: Row) => table.recordOf(row) };
  return page.sort.endsWith('shipDate')
    ? byShipDate(runner, orders, query)
    : list(runner, { ...orders, ...pathById(workspaceId, filter) }, page);
}

/** Orders with a ship date, then those without one, in both directions. A position of the latter is an id alone. */
async function byShipDate(
  runner: Runner,
  orders: Orders,
  { workspaceId, filter, page }: OrderQuery,
): Promise<Page<OrderRecord>> {
  const path = pathById(workspaceId, filter);
  const filters = [...path.filters!, sql`ship_date IS NULL`];
  const undated = { ...orders, ...path, filters };
  if (page.after?.length === 1) return list(runner, undated, page);
  const examinedMax = EXAMINED_MAX / 2;
  const dated = { ...orders, ...pathByShipDate(workspaceId, filter), examinedMax };
  const first = await list(runner, dated, page);
  const isRange = filter.shipDateFrom !== undefined || filter.shipDateTo !== undefined;
  if (first.hasMore || isRange) return first;
  const left = page.limit - first.items.length;
  const begun = { sort: page.sort, limit: Math.max(left, 1) };
  const rest = await list(runner, { ...undated, examinedMax }, begun);
  if (left > 0) return { ...rest, items: [...first.items, ...rest.items] };
  const hasMore = rest.hasMore || rest.items.length > 0;
  const begin = page.sort.startsWith('-') ? Number.MAX_SAFE_INTEGER : 0;
  return { items: first.items, hasMore, ...(hasMore ? { end: [begin] } : {}) };
}
