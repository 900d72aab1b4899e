import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { StorageUnavailable } from '../../src/datastore/failures.ts';
import type { EventRecord, NewEvent } from '../../src/domain/event.ts';
import { eventId } from '../../src/domain/event-cursor.ts';
import { type ShownEvent, shownEvent } from './event-view.ts';
import {
  changeIn,
  NOW,
  newShop,
  newWorkspace,
  type Opened,
  oneUnit,
  takeOne,
  Undo,
  why,
} from './fixture.ts';

/** An event that is identified by its name. */
export function named(name: string | number, at = NOW): NewEvent {
  return { type: 'category.created', at, keyId: 'key', data: { category: { id: 1, name } } };
}

export function append(store: Datastore, workspaceId: number, ...events: NewEvent[]) {
  return store.transact((tx) => tx.events.append(workspaceId, events));
}

/** Everything in the feed, as every reader gets it: what has arrived is numbered first. */
export async function readFeed(store: Datastore, workspaceId: number, after = 0) {
  const records: ShownEvent[] = [];
  for (let last = after; ; ) {
    while ((await store.read.events.head(workspaceId)).hasArrivals) {
      await numberFeed(store, workspaceId);
    }
    const page = await store.read.events.page(workspaceId, { after: last, limit: 100 });
    records.push(...page.map(shownEvent));
    if (page.length === 0) return records;
    last = page.at(-1)!.sequence;
  }
}

/** Numbers what has arrived, unless another does so for too long. */
async function numberFeed(store: Datastore, workspaceId: number): Promise<void> {
  try {
    await store.transact((tx) => tx.events.numberArrivals(workspaceId));
  } catch (err) {
    if (!(err instanceof StorageUnavailable)) throw err;
  }
}

export function namesOf(records: readonly EventRecord[]): unknown[] {
  return records.map((record) => (shownEvent(record).data.category as { name: unknown }).name);
}

function expectNoHole(records: readonly EventRecord[]): void {
  expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, at) => at + 1));
}

export function eventSuite(opened: Opened): void {
  it('numbers the events of each workspace from 1, without a hole', async () => {
    const { store } = opened();
    const [one, two] = [await newWorkspace(store), await newWorkspace(store)];
    await append(store, one, named('a'));
    await append(store, two, named('x'));
    await append(store, one, named('b'), named('c'));
    await append(store, two, named('y'));
    const [first, second] = [await readFeed(store, one), await readFeed(store, two)];
    expectNoHole(first);
    expectNoHole(second);
    expect(namesOf(first)).toEqual(['a', 'b', 'c']);
    expect(namesOf(second)).toEqual(['x', 'y']);
  });

  it('gives back what was appended, and the same id each time', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    const before = { name: 'Dogs', description: null };
    const event: NewEvent = {
      type: 'category.updated',
      at: NOW,
      keyId: 'k',
      data: { category: { id: 1, name: 'Cats' } },
      before,
    };
    await append(store, workspaceId, event, { type: 'limit.warning', at: NOW + 1 });
    const [record, bare] = await readFeed(store, workspaceId);
    expect(record).toMatchObject({ ...event, sequence: 1 });
    const rest =
      '"type":"category.updated","timestamp":"2027-01-15T08:00:00Z","keyId":"k",' +
      '"data":{"category":{"id":1,"name":"Cats"}},"before":{"name":"Dogs","description":null}}';
    const id = `evt_${workspaceId}_1_${hash('sha256', `{${rest}`).slice(0, 7)}`;
    expect(record!.text).toBe(`{"id":"${id}","sequence":1,${rest}`);
    expect(bare).toMatchObject({ type: 'limit.warning', data: {}, sequence: 2 });
    expect(bare).not.toHaveProperty('keyId');
    expect(bare).not.toHaveProperty('before');
    const again = await readFeed(other, workspaceId);
    expect(again.map(eventId)).toEqual([record!, bare!].map(eventId));
  });

  it('has no event of a unit that threw, nor of an attempt that was undone, and no hole', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const units = Array.from({ length: 30 }, (_, at) =>
      store.transact(async (tx) => {
        await tx.events.append(workspaceId, [named(at)]);
        const attempt = tx.attempt(async () => {
          await tx.events.append(workspaceId, [named('undone')]);
          throw new Undo();
        });
        await attempt.catch(() => undefined);
        await tx.attempt(() => tx.events.append(workspaceId, [named(at + 0.5)]));
        if (at % 2 === 1) throw new Undo();
      }),
    );
    // On a slow machine storage may give up a unit, which leaves nothing either.
    const settled = await Promise.allSettled(units);
    const records = await readFeed(store, workspaceId);
    expectNoHole(records);
    const names = namesOf(records) as number[];
    const kept = settled.flatMap(({ status }, at) =>
      status === 'fulfilled' ? [[at, at + 0.5]] : [],
    );
    expect(kept.length).toBeGreaterThan(0);
    expect(names.toSorted((a, b) => a - b)).toEqual(kept.flat());
    for (const [first, second] of kept) {
      expect(names.indexOf(first!)).toBeLessThan(names.indexOf(second!));
    }
  });

  it('keeps a change and its event, or neither', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store, { quantity: 50, reserved: 0, held: false });
    const units = Array.from({ length: 60 }, (_, at) =>
      store.transact(async (tx) => {
        await takeOne(tx, workspaceId, petId);
        await tx.events.append(workspaceId, [named(at)]);
        if (at % 3 === 0) throw new Undo();
      }),
    );
    const kept = (await Promise.allSettled(units)).filter(({ status }) => status === 'fulfilled');
    const records = await readFeed(store, workspaceId);
    expectNoHole(records);
    expect(records).toHaveLength(1 + kept.length);
    const pet = await store.read.pets.find(workspaceId, petId);
    expect(pet!.stock.quantity).toBe(50 - kept.length);
  });

  it('has no hole where a node of the version before, which writes no events, changes the same pet', async () => {
    const { store, other } = opened();
    const { workspaceId, petId } = await newShop(store, { ...oneUnit, quantity: 4 });
    const before = (await readFeed(store, workspaceId)).length;
    const adjust = (node: Datastore, writesEvents: boolean) =>
      node.transact(async (tx) => {
        expect(await takeOne(tx, workspaceId, petId)).toBe(true);
        if (writesEvents) await tx.events.append(workspaceId, [named('taken')]);
      });
    await adjust(store, true);
    await adjust(other, false);
    await adjust(store, true);
    const events = await readFeed(other, workspaceId);
    expect(events).toHaveLength(before + 2);
    expectNoHole(events);
  });

  it('shows every reader the same list while two processes write', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    const WRITES = 150;
    let isWriting = true;
    const write = async (each: Datastore, name: string) => {
      for (let at = 0; at < WRITES; at += 1) await append(each, workspaceId, named(`${name}${at}`));
    };
    const poll = async (each: Datastore) => {
      const seen: ShownEvent[] = [];
      for (let isLast = false; ; isLast = !isWriting) {
        const more = await readFeed(each, workspaceId, seen.length);
        seen.push(...more);
        if (isLast) return seen;
        await pause(1);
      }
    };
    const pollers = [poll(store), poll(other), poll(store), poll(other)];
    const writers = ['a', 'b', 'c', 'd'].map((name, at) => write(at % 2 ? store : other, name));
    await Promise.all(writers);
    isWriting = false;
    const lists = await Promise.all(pollers);
    for (const list of lists) {
      expectNoHole(list);
      expect(list.map(eventId)).toEqual(lists[0]!.map(eventId));
    }
    const ofWriter = namesOf(lists[0]!).filter((name) => String(name).startsWith('a'));
    expect(ofWriter).toEqual(Array.from({ length: WRITES }, (_, at) => `a${at}`));
    expect(lists[0]).toHaveLength(4 * WRITES);
  });

  it('puts what was sent after an answer behind what was answered, whatever the clocks say', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    for (let pair = 0; pair < 100; pair += 1) {
      const [first, second] = pair % 2 ? [store, other] : [other, store];
      await append(first, workspaceId, named(2 * pair, NOW + 300_000));
      await append(second, workspaceId, named(2 * pair + 1, NOW));
      if (pair % 10 === 0) await readFeed(first, workspaceId);
    }
    const names = namesOf(await readFeed(other, workspaceId));
    expect(names).toEqual(Array.from({ length: 200 }, (_, at) => at));
  });

  it('shows an event to another process as soon as its write was answered', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    for (let round = 0; round < 50; round += 1) {
      await append(store, workspaceId, named(round));
      // A change by another process is asked for in a later tick.
      await pause(2);
      expect(namesOf(await readFeed(other, workspaceId, round))).toEqual([round]);
    }
  });

  it('follows the ledger of a pet that two processes change', async () => {
    const { store, other } = opened();
    const { workspaceId, petId } = await newShop(store, { quantity: 90, reserved: 0, held: false });
    const change = (each: Datastore) =>
      each.transact(async (tx) => {
        const { stock } = (await tx.pets.findAndLock(workspaceId, petId))!;
        const after = { ...stock, quantity: stock.quantity - 1 };
        const moved = await changeIn(tx, workspaceId, petId, stock, after, {
          ...why,
          cause: 'adjusted',
        });
        const data = { inventory: { petId, stock: after }, movement: moved };
        await tx.events.append(workspaceId, [{ type: 'inventory.adjusted', at: NOW, data }]);
      });
    await Promise.all(Array.from({ length: 90 }, (_, at) => change(at % 2 ? store : other)));
    const records = await readFeed(store, workspaceId);
    const left = records.map(({ data }) => (data.inventory as { quantity: number }).quantity);
    expect(left).toEqual(Array.from({ length: 91 }, (_, at) => 90 - at));
  });

  it('tells the oldest and the newest number, and reads a page at one moment', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    expect(await store.read.events.head(workspaceId)).toEqual({
      firstSequence: 1,
      lastSequence: 0,
      hasArrivals: false,
    });
    expect(await store.read.events.page(workspaceId, { after: 0, limit: 10 })).toEqual([]);
    await append(store, workspaceId, ...[1, 2, 3, 4, 5].map((name) => named(name)));
    await readFeed(store, workspaceId);
    const read = await store.read.events.readWithHead(workspaceId, { after: 1, limit: 2 });
    expect(read).toMatchObject({ firstSequence: 1, lastSequence: 5, hasArrivals: false });
    expect(read.records.map(({ sequence }) => sequence)).toEqual([2, 3]);
  });

  it('deletes the oldest events first, and only those before the instant', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    const ages = [NOW, NOW + 1, NOW + 5, NOW + 2, NOW + 9];
    await append(store, workspaceId, ...ages.map((at) => named(at, at)));
    await readFeed(store, workspaceId);
    const deleteOld = (before: number) =>
      store.transact((tx) => tx.events.deleteOld(workspaceId, before));
    expect(await deleteOld(NOW)).toBe(0);
    expect(await readFeed(store, workspaceId)).toHaveLength(5);
    await deleteOld(NOW + 5);
    // The fourth is old too; it stays, because nothing may be missing behind the third.
    expect((await readFeed(store, workspaceId)).map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
    expect(await store.read.events.head(workspaceId)).toMatchObject({ firstSequence: 3 });
    await deleteOld(NOW + 100);
    const head = await store.read.events.head(workspaceId);
    expect(head).toEqual({ firstSequence: 6, lastSequence: 5, hasArrivals: false });
    await append(store, workspaceId, named('next'));
    expect((await readFeed(store, workspaceId))[0]).toMatchObject({ sequence: 6 });
  });

  it('deletes a long feed piece by piece', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    await append(store, workspaceId, ...Array.from({ length: 1_500 }, (_, at) => named(at)));
    await readFeed(store, workspaceId);
    const deleteOld = () => store.transact((tx) => tx.events.deleteOld(workspaceId, NOW + 1));
    expect(await deleteOld()).toBe(1_000);
    expect(await store.read.events.head(workspaceId)).toMatchObject({ firstSequence: 1_001 });
    expect(await deleteOld()).toBe(500);
    expect(await readFeed(store, workspaceId)).toEqual([]);
  });
}
