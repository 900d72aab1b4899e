import { expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import type { LedgerFilter } from '../../src/datastore/ledger.ts';
import type { PageRequest } from '../../src/datastore/list.ts';
import type { MovementRecord } from '../../src/domain/inventory.ts';
import { copyStore } from '../../src/services/maintenance/copy.ts';
import { repeats } from '../support/effort.ts';
import {
  changeIn,
  NOW,
  newPet,
  newShop,
  type OpenEngine,
  type Opened,
  readAll,
  Undo,
} from './fixture.ts';

const PETS = 4;
const CHANGES = repeats({ usual: 60, thorough: 120 });
const SKEW_MS = CHANGES * 500;
const MINUTE = 60_000;

interface Change {
  petId: number;
  at: number;
  before: number;
}

/** Sets stock in turns on two nodes, the clock of one of them a minute behind, with gaps in the ids of the ledger. */
async function writeHistory(store: Datastore, start: number) {
  const { workspaceId, categoryId, petId } = await newShop(store);
  const pets = [petId];
  while (pets.length < PETS) pets.push(await newPet(store, workspaceId, { name: 'x', categoryId }));
  const counts = new Map(pets.map((id) => [id, 1]));
  const changes: Change[] = [];
  for (let nth = 0; nth < CHANGES; nth++) {
    const id = pets[nth % PETS]!;
    const at = start + nth * 700 - (nth % 3 === 0 ? SKEW_MS : 0);
    const before = counts.get(id)!;
    const change = (quantity: number, isUndone: boolean) =>
      store.transact(async (tx) => {
        const pet = (await tx.pets.findAndLock(workspaceId, id))!;
        const after = { ...pet.stock, quantity };
        const why = { cause: 'set', keyId: 'key', at } as const;
        const row = await changeIn(tx, workspaceId, id, pet.stock, after, why);
        if (isUndone) throw new Undo();
        return row!.at;
      });
    await change(before + 5, true).catch(() => undefined);
    // A row of the slow clock gets the time of the row before it.
    const stamped = await change(before + 1, false);
    counts.set(id, before + 1);
    changes.push({ petId: id, at: stamped, before });
  }
  return { workspaceId, pets, changes };
}

/** The counts after the last change of each pet that is not later than the moment. */
function countsAt(pets: readonly number[], changes: readonly Change[], asOf: number) {
  return pets.map((petId) => {
    const last = changes.findLast((change) => change.petId === petId && change.at <= asOf);
    return [petId, last ? last.before + 1 : 1];
  });
}

export function stockHistorySuite(opened: Opened, open: OpenEngine): void {
  const shown = async (store: Datastore, workspaceId: number, asOf: number) => {
    const page = { limit: 100, sort: 'id' } as const;
    const { items } = await store.read.ledger.listAsOf(workspaceId, { asOf }, page);
    return items.map(({ petId, stock }) => [petId, stock.quantity]);
  };

  it('finds the last change of each pet at every moment although two clocks disagree, here and in a copy', async () => {
    const { store, close } = await open();
    const start = NOW + 2 * MINUTE;
    const { workspaceId, pets, changes } = await writeHistory(store, start);
    const moments = [
      ...changes.flatMap(({ at }) => [at - 1, at, at + 1]),
      start - MINUTE,
      start + 24 * 60 * MINUTE,
    ];
    const before = [];
    for (const asOf of moments) {
      const counts = await shown(store, workspaceId, asOf);
      expect(counts, String(asOf - start)).toEqual(countsAt(pets, changes, asOf));
      before.push(counts);
    }
    expect(await shown(store, workspaceId, NOW - 1)).toEqual([]);
    const copy = await open();
    expect((await copyStore(store, copy.store, () => undefined)).differences).toEqual([]);
    const after = [];
    for (const asOf of moments) after.push(await shown(copy.store, workspaceId, asOf));
    expect(after).toEqual(before);
    await close();
    await copy.close();
  });

  it('never stamps a row earlier than the one before it of the same pet', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store);
    const count = (quantity: number, at: number) =>
      store.transact(async (tx) => {
        const { stock } = (await tx.pets.findAndLock(workspaceId, petId))!;
        const why = { cause: 'set', keyId: 'key', at } as const;
        return changeIn(tx, workspaceId, petId, stock, { ...stock, quantity }, why);
      });
    const ahead = NOW + 120 * MINUTE;
    await count(8, ahead);
    expect(await count(9, NOW + MINUTE)).toMatchObject({ quantityAfter: 9, at: ahead });
    expect(await count(7, ahead + MINUTE)).toMatchObject({ at: ahead + MINUTE });
    const page = { limit: 9, sort: 'id' } as const;
    const { items } = await store.read.ledger.list(workspaceId, { petId }, page);
    expect(items.map(({ at }) => at)).toEqual([NOW, ahead, ahead, ahead + MINUTE]);
    const asOf = (at: number) => store.read.ledger.stockAsOf(workspaceId, petId, at);
    expect((await asOf(ahead))?.stock.quantity).toBe(9);
    expect((await asOf(ahead - 1))?.stock.quantity).toBe(1);
  });

  it('lists a period by time, then by id, to its end and not behind it', async () => {
    const { store } = opened();
    const { workspaceId, pets } = await writeHistory(store, NOW + 2 * MINUTE);
    const ledger = (filter: LedgerFilter) => (page: PageRequest) =>
      store.read.ledger.list(workspaceId, filter, page);
    const all = await readAll(ledger({}), 'id', 1_000);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => a - b));
    const inTime = all.toSorted((a, b) => a.at - b.at || a.id - b.id);
    expect(inTime).not.toEqual(all);
    const [from, to] = [inTime[CHANGES / 6]!.at, inTime[(5 * CHANGES) / 6]!.at];
    const ofPet = (petId: number | undefined) => (row: MovementRecord) =>
      petId === undefined || row.petId === petId;
    for (const petId of [undefined, pets[1]]) {
      const wanted = inTime.filter(ofPet(petId));
      const within = wanted.filter(({ at }) => at >= from && at < to);
      for (const limit of [1, 7, 1_000]) {
        const period = ledger({ petId, from, to });
        expect(await readAll(period, 'id', limit)).toEqual(within);
        expect(await readAll(period, '-id', limit)).toEqual(within.toReversed());
        const counted = ledger({ petId, from, to, cause: 'set' });
        expect(await readAll(counted, '-id', limit)).toEqual(within.toReversed());
        const later = wanted.filter(({ at }) => at >= from);
        expect(await readAll(ledger({ petId, from }), '-id', limit)).toEqual(later.toReversed());
      }
      // A cursor of another period begins where this one does.
      const page = { limit: 1_000, sort: 'id', after: [from - MINUTE, 1] } as const;
      expect((await ledger({ petId, from, to })(page)).items).toEqual(within);
      const back = { limit: 1_000, sort: '-id', after: [to + MINUTE, 1] } as const;
      expect((await ledger({ petId, from, to })(back)).items).toEqual(within.toReversed());
    }
  });
}
