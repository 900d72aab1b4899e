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
  const faults = presence(entry, found);
  if (order) {
    const { state } = order;
    const mayBe = { complete: entry.isComplete === true, cancelled: false };
    for (const [end, kind] of [
      ['complete', 'completeOrder'],
      ['cancelled', 'cancelOrder'],
    ] as const) {
      const isAcknowledged = mayBe[end] || did(kind, 'ok');
      mayBe[end] ||= isAcknowledged || did(kind, 'unknown');
      if (isAcknowledged && state !== end) faults.push(`${name}: was ${end} and is ${state}`);
    }
    if (state === 'expired' || (state !== 'open' && !mayBe[state]))
      faults.push(`${name}: is ${state} without an acknowledgement`);
    if (order.petId !== entry.petId || order.quantity !== entry.units)
      faults.push(`${name}: is not what was ordered`);
  }
  return [...faults, ...checkOrderRows(name, rows, order, entry.isComplete === true)];
}

/** The ledger has one row for each change of an order, and no other row. */
function checkOrderRows(
  name: string,
  rows: readonly MovementView[],
  order: Order | undefined,
  isBornComplete: boolean,
): Faults {
  const expected = {
    reserved: order && !isBornComplete ? 1 : 0,
    fulfilled: order?.state === 'complete' ? 1 : 0,
    released: order?.state === 'cancelled' ? 1 : 0,
  };
  return Object.entries(expected).flatMap(([cause, times]) => {
    const count = rows.filter((row) => row.cause === cause).length;
    return count === times ? [] : [`${name}: ${count} rows ${cause}, not ${times}`];
  });
}
