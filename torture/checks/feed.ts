// Compares the feed with the ledger: every change has exactly its events, none is without its change, and the numbers have no
// hole. The events of a pet, taken by what they say of its stock, must be its ledger row by row.

import type { Datastore } from '../../server/src/datastore/datastore.ts';
import type { MovementRecord } from '../../server/src/domain/inventory.ts';
import type { Position } from '../../server/src/lib/cursor.ts';
import type { InventoryItemView } from '../../server/src/operations/views/inventory.ts';
import { readFeed } from '../../server/src/services/events/read-feed.ts';
import { type ShownEvent, shownEvent } from '../../server/test/datastore/event-view.ts';

const PAGE = 1_000;
const MOVEMENTS_PAGE = 100;

export async function checkFeed(store: Datastore, workspaceId: number): Promise<string[]> {
  const events = await readEvents(store, workspaceId);
  const gaps = events.flatMap(({ sequence }, at) =>
    sequence === at + 1 ? [] : [`event ${at + 1} has the number ${sequence}`],
  );
  const ofPet = Map.groupBy(events.filter(hasStock), petOf);
  const faults = [...gaps.slice(0, 1), ...checkOrders(events)];
  for (const petId of new Set([...ofPet.keys(), ...(await readPetIds(store, workspaceId))])) {
    const shownBy = ofPet.get(petId) ?? [];
    faults.push(...differences(petId, shownBy, await readLedger(store, workspaceId, petId)));
  }
  return faults;
}

async function readEvents(store: Datastore, workspaceId: number): Promise<ShownEvent[]> {
  const events: ShownEvent[] = [];
  for (;;) {
    const range = { after: events.length, limit: PAGE };
    const { records } = await readFeed(store, workspaceId, range);
    if (records.length === 0) return events;
    events.push(...records.map(shownEvent));
  }
}

async function readPetIds(store: Datastore, workspaceId: number): Promise<number[]> {
  const ids: number[] = [];
  let after: Position | undefined;
  do {
    const page = { sort: 'id', limit: PAGE, after } as const;
    const { items, end } = await store.read.stock.list(workspaceId, {}, page);
    ids.push(...items.map(({ petId }) => petId));
    after = end;
  } while (after);
  return ids;
}

async function readLedger(
  store: Datastore,
  workspaceId: number,
  petId: number,
): Promise<MovementRecord[]> {
  const rows: MovementRecord[] = [];
  let after: Position | undefined;
  do {
    const page = { sort: 'id', limit: MOVEMENTS_PAGE, after } as const;
    const { items, end } = await store.read.ledger.list(workspaceId, { petId }, page);
    rows.push(...items);
    after = end;
  } while (after);
  return rows;
}

/** Each order is placed, fulfilled and cancelled once at the most. */
function checkOrders(events: readonly ShownEvent[]): string[] {
  const seen = new Set<string>();
  return events.flatMap(({ type, data, sequence }) => {
    const order = data.order as { id: number } | undefined;
    if (!order || type === 'order.updated') return [];
    const once = `${type} of order ${order.id}`;
    if (seen.has(once)) return [`${once} is there twice, again as event ${sequence}`];
    seen.add(once);
    return [];
  });
}

/** The counts that events tell and those of the ledger; what changes no count repeats the one before. */
function differences(petId: number, shownBy: ShownEvent[], ledger: MovementRecord[]): string[] {
  const counts = shownBy.map(({ data }) => {
    const { quantity, reserved } = data.inventory as InventoryItemView;
    return `${quantity}/${reserved}`;
  });
  const shown = counts.filter((count, at) => count !== counts[at - 1]).join(' ');
  const written = ledger.map(
    ({ quantityAfter, reservedAfter }) => `${quantityAfter}/${reservedAfter}`,
  );
  const expected = written.filter((count, at) => count !== written[at - 1]).join(' ');
  return shown === expected
    ? []
    : [
        `the feed of pet ${petId} tells ${shown.slice(0, 300)}, its ledger ${expected.slice(0, 300)}`,
      ];
}

function hasStock({ data }: ShownEvent): boolean {
  return data.inventory !== undefined;
}

function petOf({ data }: ShownEvent): number {
  return (data.inventory as InventoryItemView).petId;
}
