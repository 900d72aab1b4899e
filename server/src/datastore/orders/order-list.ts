import sql, { join, type Sql } from 'sql-template-tag';
import { type OrderRecord, type OrderState, orderStates } from '../../domain/order.ts';
import {
  type Among,
  byId,
  examinedMaxOf,
  type List,
  list,
  type Page,
  type PageRequest,
} from '../list.ts';
import type { Along } from '../list-path.ts';
import type { Row, Runner } from '../runner.ts';
import type { Table } from '../table.ts';
import { customerWords, orderWords } from './order-details.ts';

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
  const examinedMax = examinedMaxOf(runner) / 2;
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

export interface OrderFilter {
  petId?: number;
  /** Open and complete orders if absent. */
  state?: readonly OrderState[];
  complete?: boolean;
  shipDateFrom?: number;
  shipDateTo?: number;
  /** Included. */
  createdFrom?: number;
  /** Excluded. */
  createdTo?: number;
  reference?: string;
  /** Each starts a word of the customer or of the reference. */
  words?: readonly string[] | undefined;
  /** Each starts a word of the customer. */
  customerWords?: readonly string[] | undefined;
  /** Only open orders expire. */
  expiresBefore?: number;
}

type OrderPath = Pick<
  List<Row, unknown>,
  'where' | 'indexed' | 'order' | 'alongAny' | 'within' | 'filters' | 'among' | 'workspaceId'
>;

const shipDateOrder = [{ name: 'ship_date', type: 'number' } as const, ...byId];

/** The path of a list by id. Each state has its own part of the indexes, so ended orders do not slow the others. */
function pathById(workspaceId: number, filter: OrderFilter): OrderPath {
  const { petId, reference } = filter;
  const states = statesOf(filter);
  const ofPet: Along = petId === undefined ? [] : [{ column: 'pet_id', value: petId }];
  const ofStates = states.map((state): Along => [...ofPet, { column: 'state', value: state }]);
  const isByReference = reference !== undefined;
  const others = [
    ...(petId === undefined ? [] : [sql`pet_id = ${petId}`]),
    sql`state IN (${join(states)})`,
  ];
  return {
    workspaceId,
    where: sql`workspace_id = ${workspaceId}`,
    indexed: isByReference ? sql`reference IS NOT NULL` : undefined,
    alongAny: isByReference ? [[{ column: 'reference', value: reference }]] : ofStates,
    order: byId,
    filters: [...filtersOf(filter), ...(isByReference ? others : [])],
    among: [...shippedWithin(workspaceId, filter), ...searched(workspaceId, filter)],
  };
}

/** The path of a list by ship date, of the orders that have one. */
function pathByShipDate(workspaceId: number, filter: OrderFilter): OrderPath {
  const { petId, reference, shipDateTo } = filter;
  return {
    workspaceId,
    where: sql`workspace_id = ${workspaceId} AND ship_date IS NOT NULL`,
    alongAny: statesOf(filter).map((state) => [{ column: 'state', value: state }]),
    order: shipDateOrder,
    within: {
      from: filter.shipDateFrom,
      to: shipDateTo === undefined ? undefined : shipDateTo + 1,
    },
    filters: [
      ...filtersOf(filter),
      ...(petId === undefined ? [] : [sql`pet_id = ${petId}`]),
      ...(reference === undefined ? [] : [sql`reference = ${reference}`]),
    ],
    among: searched(workspaceId, filter),
  };
}

/** The states of the orders that a filter selects; none if its parts exclude each other. */
function statesOf({ state, complete, expiresBefore }: OrderFilter): OrderState[] {
  const listed = state ?? (['open', 'complete'] as const);
  return orderStates.filter(
    (name) =>
      listed.includes(name) &&
      (complete === undefined || name === (complete ? 'complete' : 'open')) &&
      (expiresBefore === undefined || name === 'open'),
  );
}

function filtersOf({ expiresBefore, createdFrom, createdTo }: OrderFilter): Sql[] {
  return [
    ...(expiresBefore === undefined ? [] : [sql`expires_at <= ${expiresBefore}`]),
    ...(createdFrom === undefined ? [] : [sql`created_at >= ${createdFrom}`]),
    ...(createdTo === undefined ? [] : [sql`created_at < ${createdTo}`]),
  ];
}

function searched(workspaceId: number, filter: OrderFilter): Among[] {
  return [
    ...orderWords.startingWith(workspaceId, filter.words ?? []),
    ...customerWords.startingWith(workspaceId, filter.customerWords ?? []),
  ];
}

function shipDates({ shipDateFrom: from, shipDateTo: to }: OrderFilter): Sql[] {
  return [
    ...(from === undefined ? [] : [sql`ship_date >= ${from}`]),
    ...(to === undefined ? [] : [sql`ship_date <= ${to}`]),
  ];
}

/** Few orders in a range of ship dates are found by the index that has each state apart. */
function shippedWithin(workspaceId: number, filter: OrderFilter): Among[] {
  const where = shipDates(filter);
  if (where.length === 0) return [];
  const index = statesOf(filter).map(
    (state) => sql`SELECT id FROM orders
      WHERE workspace_id = ${workspaceId} AND state = ${state} AND ${join(where, ' AND ')}
      ORDER BY ship_date, id`,
  );
  return [{ where, index }];
}
