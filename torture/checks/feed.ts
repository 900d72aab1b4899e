// Compares the feed with the ledger: every change has exactly its events, none is without its change, and the numbers have no
// hole. The events of a pet, taken by what they say of its stock, must be its ledger row by row.

import type { Datastore } from '../../server/src/datastore/datastore.ts';
import type { EventRecord } from '../../server/src/domain/event.ts';
import type { MovementRecord, StockRecord } from '../../server/src/domain/inventory.ts';
import { readFeed } from '../../server/src/services/events/read-feed.ts';

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
    faults.push(...differences(petId, shownBy, await readLedger(store, petId)));
  }
  return faults;
}

async function readEvents(store: Datastore, workspaceId: number): Promise<EventRecord[]> {
  const events: EventRecord[] = [];
  for (;;) {
    const range = { after: events.length, limit: PAGE };
    const { records } = await readFeed(store, workspaceId, range);
    if (records.length === 0) return events;
    events.push(...records);
  }
}

async function readPetIds(store: Datastore, workspaceId: number): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const after = ids.length > 0 ? { after: { id: ids.at(-1)! } } : {};
    const page = { sort: 'id', limit: PAGE, ...after } as const;
    const { items, hasMore } = await store.read.inventory.list(workspaceId, {}, page);
    ids.push(...items.map(({ petId }) => petId));
    if (!hasMore) return ids;
  }
}

async function readLedger(store: Datastore, petId: number): Promise<MovementRecord[]> {
  const rows: MovementRecord[] = [];
  for (;;) {
    const last = rows.at(-1);
    const after = last ? { after: { id: last.id } } : {};
    const page = { sort: 'id', limit: MOVEMENTS_PAGE, ...after } as const;
    const { items, hasMore } = await store.read.inventory.movements(petId, page);
    rows.push(...items);
    if (!hasMore) return rows;
  }
}

/** Each order is placed, fulfilled and cancelled once at the most. */
function checkOrders(events: readonly EventRecord[]): string[] {
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
function differences(petId: number, shownBy: EventRecord[], ledger: MovementRecord[]): string[] {
  const counts = shownBy.map(({ data }) => {
    const { quantity, reserved } = (data.inventory as StockRecord).stock;
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

function hasStock({ data }: EventRecord): boolean {
  return data.inventory !== undefined;
}

function petOf({ data }: EventRecord): number {
  return (data.inventory as StockRecord).petId;
}
