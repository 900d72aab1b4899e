import type { MovementView } from '../../server/src/operations/views/inventory.ts';
import type { OrderView as Order } from '../../server/src/operations/views/order.ts';
import type { Entry, History, Kind } from '../history.ts';
import type { State } from '../state.ts';
import { type Faults, presence, strangers } from './checkers.ts';

/** Every order is placed once, completed or cancelled once, and visible in its last state. */
export function checkOrders({ entries }: History, { orders, movements }: State): Faults {
  const placed = entries.filter(({ kind }) => kind === 'placeOrder');
  const found = Map.groupBy(orders, ({ shipDate }) => shipDate ?? '');
  const changes = Map.groupBy(
    entries.filter(({ orderId }) => orderId !== undefined),
    ({ orderId }) => orderId!,
  );
  const rows = Map.groupBy(movements, ({ orderId }) => orderId ?? 0);
  const placedIds = new Set(placed.map(({ id }) => id));
  const known = new Set([...placedIds, ...orders.map(({ id }) => id), 0]);
  return [
    ...placed.flatMap((entry) => {
      const there = found.get(entry.label) ?? [];
      const id = entry.id ?? there[0]?.id ?? -1;
      return checkOrder(entry, there, changes.get(id) ?? [], rows.get(id) ?? []);
    }),
    ...strangers('order', found, placed),
    ...[...rows.keys()].filter((id) => !known.has(id)).map((id) => `order ${id}: ledger only`),
  ];
}

function checkOrder(
  entry: Entry,
  found: readonly Order[],
  changes: readonly Entry[],
  rows: readonly MovementView[],
): Faults {
  const did = (kind: Kind, outcome: string) =>
    changes.some((change) => change.kind === kind && change.outcome === outcome);
  const name = `order ${entry.label}`;
  const order = found[0];
  const faults: Faults = [];
  if (did('cancelOrder', 'ok')) {
    if (order) faults.push(`${name}: its cancellation was acknowledged and is lost`);
  } else if (order || !did('cancelOrder', 'unknown')) {
    faults.push(...presence(entry, found));
  }
  if (order) {
    const isDone = entry.isComplete || did('completeOrder', 'ok');
    const mayBeDone = isDone || did('completeOrder', 'unknown');
    if (isDone && !order.complete) faults.push(`${name}: was completed and is open`);
    if (!mayBeDone && order.complete)
      faults.push(`${name}: is complete without an acknowledgement`);
    if (order.petId !== entry.petId || order.quantity !== entry.units)
      faults.push(`${name}: is not what was ordered`);
  }
  // Placing and cancelling are both uncertain: the ledger has both rows or none.
  const mayBeGone = did('cancelOrder', 'unknown') && rows.length > 0;
  const isThere = order !== undefined || entry.outcome === 'ok' || mayBeGone;
  return [...faults, ...checkOrderRows(name, rows, order, isThere, entry.isComplete === true)];
}

/** The ledger has one row for each change of an order, and no other row. */
function checkOrderRows(
  name: string,
  rows: readonly MovementView[],
  order: Order | undefined,
  isThere: boolean,
  isBornComplete: boolean,
): Faults {
  const expected = {
    reserved: isThere && !isBornComplete ? 1 : 0,
    fulfilled: order?.complete ? 1 : 0,
    released: isThere && !order && !isBornComplete ? 1 : 0,
  };
  return Object.entries(expected).flatMap(([cause, times]) => {
    const count = rows.filter((row) => row.cause === cause).length;
    return count === times ? [] : [`${name}: ${count} rows ${cause}, not ${times}`];
  });
}
