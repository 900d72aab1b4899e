import sql, { join, type Sql } from 'sql-template-tag';
import { type OrderState, orderStates } from '../../domain/order.ts';
import { type Among, byId, type List } from '../list.ts';
import type { Along } from '../list-path.ts';
import type { Row } from '../runner.ts';
import { customerWords, orderWords } from './order-details.ts';

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
  words?: readonly string[];
  /** Each starts a word of the customer. */
  customerWords?: readonly string[];
  /** Only open orders expire. */
  expiresBefore?: number;
}

type OrderPath = Pick<
  List<Row, unknown>,
  'where' | 'indexed' | 'order' | 'alongAny' | 'within' | 'filters' | 'among' | 'workspaceId'
>;

const byShipDate = [{ name: 'ship_date', type: 'number' } as const, ...byId];

/** The path of a list by id. Each state has its own part of the indexes, so ended orders do not slow the others. */
export function pathById(workspaceId: number, filter: OrderFilter): OrderPath {
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
export function pathByShipDate(workspaceId: number, filter: OrderFilter): OrderPath {
  const { petId, reference, shipDateTo } = filter;
  return {
    workspaceId,
    where: sql`workspace_id = ${workspaceId} AND ship_date IS NOT NULL`,
    alongAny: statesOf(filter).map((state) => [{ column: 'state', value: state }]),
    order: byShipDate,
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
export function statesOf({ state, complete, expiresBefore }: OrderFilter): OrderState[] {
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
