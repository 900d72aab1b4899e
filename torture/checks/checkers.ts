// Compares a history with the store that it left. Every operation has a label of its own, so every record belongs to
// exactly one operation. A store that is read after a restart also settles the unknown outcomes: an operation that is
// not visible by then did not happen.

import type { OrderState } from '../../server/src/domain/order.ts';
import type {
  InventoryItemView,
  MovementView,
} from '../../server/src/operations/views/inventory.ts';
import type { OrderView } from '../../server/src/operations/views/order.ts';
import type { Entry, History, Kind } from '../history.ts';
import type { State } from '../state.ts';

/** One sentence for each fault. */
export type Faults = string[];

export function check(history: History, state: State): Faults {
  return [
    ...checkIds(history, state),
    ...checkPets(history, state),
    ...checkOrders(history, state),
    ...checkAdjustments(history, state),
    ...checkStock(history, state),
    ...checkLedger(state),
  ];
}

/** No id appears twice, in the answers or in the store. */
function checkIds({ entries }: History, { pets, orders, movements }: State): Faults {
  const acknowledged = (kind: Kind) =>
    entries.filter((entry) => entry.kind === kind && entry.outcome === 'ok').map(({ id }) => id!);
  const ids = { pets, orders, movements };
  return [
    ...Object.entries(ids).flatMap(([name, records]) =>
      repeated(records.map(({ id }) => id)).map((id) => `${name}: the id ${id} is there twice`),
    ),
    ...(['createPet', 'placeOrder', 'adjustStock'] as const).flatMap((kind) =>
      repeated(acknowledged(kind)).map((id) => `${kind}: the id ${id} was answered twice`),
    ),
  ];
}

function checkPets({ entries }: History, { pets }: State): Faults {
  const created = entries.filter(({ kind }) => kind === 'createPet');
  const found = Map.groupBy(pets, ({ name }) => name);
  return [
    ...created.flatMap((entry) => presence(entry, found.get(entry.label) ?? [])),
    ...strangers('pet', found, created),
  ];
}

function checkAdjustments({ entries }: History, { movements }: State): Faults {
  const adjusted = entries.filter(({ kind }) => kind === 'adjustStock');
  const rows = movements.filter(({ cause }) => cause === 'adjusted');
  const found = Map.groupBy(rows, ({ reference }) => reference ?? '');
  return [
    ...adjusted.flatMap((entry) => presence(entry, found.get(entry.label) ?? [])),
    ...strangers('adjustment', found, adjusted),
  ];
}

/** Every order is placed once, completed or cancelled once, and visible in its last state. */
function checkOrders({ entries }: History, { orders, movements }: State): Faults {
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
  found: readonly OrderView[],
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
  order: OrderView | undefined,
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

/** A record exists once or not at all, as the outcome of its operation says. */
function presence(entry: Entry, found: readonly { id: number }[]): Faults {
  const { kind, label, outcome, id } = entry;
  const name = `${kind} ${label}`;
  if (found.length > 1) return [`${name}: took effect ${found.length} times`];
  if (outcome === 'ok' && found.length === 0) return [`${name}: was acknowledged and is lost`];
  if (outcome === 'failed' && found.length === 1) return [`${name}: was refused and is there`];
  if (outcome === 'ok' && found[0]!.id !== id) return [`${name}: answered ${id}, is another`];
  return [];
}

function strangers(what: string, found: Map<string, unknown>, entries: readonly Entry[]): Faults {
  const known = new Set(entries.map(({ label }) => label));
  return [...found.keys()].filter((label) => !known.has(label)).map((m) => `${what} ${m}: unasked`);
}

/** quantity = opening + adjustments - fulfilled, reserved = open orders, for every pet. */
function checkStock({ entries }: History, { pets, inventory, orders, movements }: State): Faults {
  const visible = new Set(movements.map(({ reference }) => reference));
  const adjusted = entries.filter(
    ({ kind, label }) => kind === 'adjustStock' && visible.has(label),
  );
  const adjustedOf = Map.groupBy(adjusted, ({ petId }) => petId);
  const ordersOf = Map.groupBy(orders, ({ petId }) => petId);
  const items = new Map(inventory.map((item) => [item.petId, item]));
  return pets.flatMap(({ id }) => {
    const item = items.get(id);
    if (!item) return [`pet ${id}: has no inventory item`];
    const unitsOf = (wanted: OrderState) =>
      (ordersOf.get(id) ?? [])
        .filter(({ state }) => state === wanted)
        .map(({ quantity }) => quantity);
    const deltas = (adjustedOf.get(id) ?? []).map(({ units }) => units);
    return checkItem(item, 1 + sum(deltas) - sum(unitsOf('complete')), sum(unitsOf('open')));
  });
}

function checkItem(item: InventoryItemView, quantity: number, reserved: number): Faults {
  const { petId } = item;
  return [
    ...(item.quantity === quantity
      ? []
      : [`pet ${petId}: counts ${item.quantity}, what happened to it makes ${quantity}`]),
    ...(item.reserved === reserved
      ? []
      : [`pet ${petId}: reserves ${item.reserved}, its open orders are ${reserved}`]),
    ...(item.reserved < 0 || item.reserved > item.quantity
      ? [`pet ${petId}: reserves ${item.reserved} of ${item.quantity}`]
      : []),
  ];
}

/** Each row starts where the one before ended, and the last row ends at the current counts. */
function checkLedger({ inventory, movements }: State): Faults {
  const rows = Map.groupBy(movements, ({ petId }) => petId);
  return inventory.flatMap(({ petId, quantity, reserved }) => {
    let end = { quantity: 0, reserved: 0 };
    const faults: Faults = [];
    for (const row of rows.get(petId) ?? []) {
      if (row.quantityBefore !== end.quantity || row.reservedBefore !== end.reserved)
        faults.push(`pet ${petId}: row ${row.id} does not follow the one before`);
      end = { quantity: row.quantityAfter, reserved: row.reservedAfter };
    }
    if (end.quantity !== quantity || end.reserved !== reserved)
      faults.push(`pet ${petId}: the ledger ends at ${JSON.stringify(end)}, the count is another`);
    return faults;
  });
}

function repeated(ids: readonly number[]): number[] {
  const seen = new Set<number>();
  return ids.filter((id) => seen.has(id) || !seen.add(id));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
