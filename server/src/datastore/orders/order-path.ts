import sql, { join } from 'sql-template-tag';
import { type OrderState, orderStates } from '../../domain/order.ts';
import { type Among, byId, type List } from '../list.ts';
import type { Along } from '../list-path.ts';
import type { Row } from '../runner.ts';

export interface OrderFilter {
  petId?: number;
  /** Open and complete orders if absent. */
  state?: readonly OrderState[];
  complete?: boolean;
  shipDateFrom?: number;
  shipDateTo?: number;
  /** Only open orders expire. */
  expiresBefore?: number;
}

type OrderPath = Pick<
  List<Row, unknown>,
  'where' | 'order' | 'alongAny' | 'filters' | 'among' | 'workspaceId'
>;

/** The path of a list of orders. Each state has its own part of the indexes, so ended orders do not slow the others. */
export function orderPath(workspaceId: number, filter: OrderFilter): OrderPath {
  const { petId, expiresBefore } = filter;
  const ofStates = statesOf(filter).map((state): Along => [{ column: 'state', value: state }]);
  const ofPet: Along = petId === undefined ? [] : [{ column: 'pet_id', value: petId }];
  return {
    workspaceId,
    where: sql`workspace_id = ${workspaceId}`,
    alongAny: ofStates.map((along) => [...ofPet, ...along]),
    order: byId,
    filters: expiresBefore === undefined ? [] : [sql`expires_at <= ${expiresBefore}`],
    among: shippedWithin(workspaceId, filter),
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

/** Few orders in a range of ship dates are found by the index that has each state apart. */
function shippedWithin(workspaceId: number, filter: OrderFilter): Among[] {
  const { shipDateFrom: from, shipDateTo: to } = filter;
  if (from === undefined && to === undefined) return [];
  const where = [
    ...(from === undefined ? [] : [sql`ship_date >= ${from}`]),
    ...(to === undefined ? [] : [sql`ship_date <= ${to}`]),
  ];
  const index = statesOf(filter).map(
    (state) => sql`SELECT id FROM orders
      WHERE workspace_id = ${workspaceId} AND state = ${state} AND ${join(where, ' AND ')}
      ORDER BY ship_date, id`,
  );
  return [{ where, index }];
}
