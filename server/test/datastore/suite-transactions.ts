import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Datastore, dryRun, type Transaction } from '../../src/datastore/datastore.ts';
import { ConstraintViolation } from '../../src/datastore/failures.ts';
import { eventField } from '../../src/domain/event.ts';
import {
  changeIn,
  createIn,
  newCategory,
  newShop,
  newWorkspace,
  type Opened,
  oneUnit,
  placeIn,
  takeOne,
  Undo,
  why,
} from './fixture.ts';

const page = { sort: 'id', limit: 100 } as const;

async function categoryNames(store: Datastore, workspaceId: number): Promise<string[]> {
  const { items } = await store.read.categories.list(workspaceId, {}, page);
  return items.map(({ name }) => name);
}

export function transactionSuite(opened: Opened): void {
  it('keeps nothing of a unit that throws, and throws what it threw', async () => {
    const { store } = opened();
    const { workspaceId, categoryId, petId } = await newShop(store);
    const undo = new Undo();
    const unit = store.transact(async (tx) => {
      await tx.categories.create(workspaceId, { name: 'Cats' });
      await tx.categories.update(workspaceId, { id: categoryId, name: 'Hounds' });
      await takeOne(tx, workspaceId, petId);
      throw undo;
    });
    await expect(unit).rejects.toBe(undo);
    expect(await categoryNames(store, workspaceId)).toEqual(['Dogs']);
    expect((await store.read.pets.find(workspaceId, petId))!.stock).toEqual(oneUnit);
    expect((await store.read.ledger.list(workspaceId, { petId }, page)).items).toHaveLength(1);
  });

  it('keeps nothing of a unit that throws before its first statement', async () => {
    const { store } = opened();
    const unit = store.transact(() => Promise.reject(new Undo()));
    await expect(unit).rejects.toThrow(Undo);
    expect(await store.transact(async () => 'nothing asked')).toBe('nothing asked');
  });

  it('undoes only the part that was attempted, also in attempts within attempts', async () => {
    const { store } = opened();
    const workspaceId = await newWorkspace(store);
    await store.transact(async (tx) => {
      const add = (name: string) => tx.categories.create(workspaceId, { name });
      const undone = async (work: () => Promise<unknown>) => {
        const attempt = tx.attempt(async () => {
          await work();
          throw new Undo();
        });
        await expect(attempt).rejects.toThrow(Undo);
      };
      await undone(async () => {});
      await add('a');
      await undone(() => add('b'));
      await tx.attempt(async () => {
        await add('c');
        await undone(() => add('d'));
        await undone(() => tx.attempt(() => add('e')));
        await tx.attempt(async () => {});
        await tx.attempt(() => add('f'));
      });
      await undone(async () => {
        await tx.attempt(() => add('g'));
        await add('h');
      });
      await add('i');
    });
    expect(await categoryNames(store, workspaceId)).toEqual(['a', 'c', 'f', 'i']);
  });

  it('goes on after an attempt that broke a constraint', async () => {
    const { store } = opened();
    const { workspaceId, categoryId, petId } = await newShop(store);
    await store.transact(async (tx) => {
      const broken = { quantity: 0, reserved: 1, held: false };
      const attempt = tx.attempt(async () => {
        await tx.categories.create(workspaceId, { name: 'Cats' });
        await changeIn(tx, workspaceId, petId, oneUnit, broken, { ...why, cause: 'reserved' });
      });
      await expect(attempt).rejects.toThrow(ConstraintViolation);
      await tx.categories.update(workspaceId, { id: categoryId, name: 'Hounds' });
    });
    expect(await categoryNames(store, workspaceId)).toEqual(['Hounds']);
  });

  it('keeps nothing of a dry run and returns its value, also of a single statement', async () => {
    const { store } = opened();
    const { workspaceId, categoryId, petId } = await newShop(store);
    const order = { petId, quantity: 1, complete: false };
    const pet = { name: 'Ada', categoryId, stock: oneUnit };
    const dry = await Promise.all([
      dryRun(store, (tx) => placeIn(tx, workspaceId, order, why)),
      dryRun(store, (tx) => createIn(tx, workspaceId, pet, why)),
      dryRun(store, async (tx) => {
        await tx.categories.create(workspaceId, { name: 'Cats' });
        await tx.events.append(workspaceId, [{ type: 'pet.deleted', at: why.at, data: {} }]);
        return takeOne(tx, workspaceId, petId);
      }),
      dryRun(store, async () => 'nothing asked'),
    ]);
    expect(dry).toEqual([expect.any(Number), expect.any(Number), true, 'nothing asked']);
    expect(await categoryNames(store, workspaceId)).toEqual(['Dogs']);
    const { items: pets } = await store.read.pets.list(workspaceId, {}, page);
    expect(pets.map(({ id, stock }) => [id, stock])).toEqual([[petId, oneUnit]]);
    expect((await store.read.orders.list(workspaceId, {}, page)).items).toEqual([]);
    expect((await store.read.ledger.list(workspaceId, { petId }, page)).items).toHaveLength(1);
    await store.transact((tx) => tx.events.numberArrivals(workspaceId));
    const feed = await store.read.events.page(workspaceId, { after: 0, limit: 100 });
    expect(feed.map(({ text }) => eventField(text, 'type'))).toEqual(['pet.created']);
  });

  it('rejects a dry run with what its work throws, and sells the unit that it left', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store);
    const undo = new Undo();
    const failing = dryRun(store, async (tx) => {
      await takeOne(tx, workspaceId, petId);
      throw undo;
    });
    await expect(failing).rejects.toBe(undo);
    const broken = { quantity: 0, reserved: 1, held: false };
    const violating = dryRun(store, (tx) =>
      changeIn(tx, workspaceId, petId, oneUnit, broken, { ...why, cause: 'reserved' }),
    );
    await expect(violating).rejects.toThrow(ConstraintViolation);
    const order = { petId, quantity: 1, complete: false };
    const place = (tx: Transaction) => placeIn(tx, workspaceId, order, why);
    const sales = Array.from({ length: 20 }, (_, at) =>
      at === 10 ? store.transact(place) : dryRun(store, place).then(() => undefined),
    );
    expect((await Promise.all(sales)).filter((id) => id !== undefined)).toHaveLength(1);
    expect((await store.read.orders.list(workspaceId, {}, page)).items).toHaveLength(1);
  });

  it('lets no failing unit harm another that runs beside it', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store);
    const units = Array.from({ length: 60 }, (_, at) =>
      store.transact(async (tx) => {
        await tx.categories.create(workspaceId, { name: `c${at}` });
        if (at % 3 === 1) throw new Undo();
        const broken = { quantity: 0, reserved: 1, held: false };
        const change = { ...why, cause: 'reserved' } as const;
        if (at % 3 === 2) await changeIn(tx, workspaceId, petId, oneUnit, broken, change);
      }),
    );
    const outcomes = await Promise.allSettled(units);
    const failed = outcomes.filter(({ status }) => status === 'rejected');
    expect(failed).toHaveLength(40);
    const kept = await categoryNames(store, workspaceId);
    const expected = Array.from({ length: 20 }, (_, at) => `c${at * 3}`);
    expect(kept.toSorted()).toEqual(['Dogs', ...expected].toSorted());
  });

  it('shows readers a unit whole or not at all', async () => {
    const { store, other } = opened();
    const { workspaceId, petId } = await newShop(store);
    await store.transact(async (tx) => {
      await tx.categories.create(workspaceId, { name: 'Cats' });
      await takeOne(tx, workspaceId, petId);
      for (const { read } of [store, other]) {
        expect((await read.pets.find(workspaceId, petId))!.stock.quantity).toBe(1);
        expect((await read.categories.list(workspaceId, {}, page)).items).toHaveLength(1);
      }
      expect((await tx.pets.find(workspaceId, petId))!.stock.quantity).toBe(0);
    });
    const expectAll = async (each: Datastore) => {
      expect(await categoryNames(each, workspaceId)).toEqual(['Dogs', 'Cats']);
      expect((await each.read.pets.find(workspaceId, petId))!.stock.quantity).toBe(0);
    };
    await expectAll(store);
    // A request that follows a change by another process arrives in a later tick.
    await setImmediate();
    await expectAll(other);
  });

  it('sells exactly what is in stock to buyers of two processes', async () => {
    const { store, other } = opened();
    const { workspaceId, petId } = await newShop(store, { quantity: 25, reserved: 0, held: false });
    const buyers = Array.from({ length: 60 }, (_, at) =>
      (at % 2 === 0 ? store : other).transact((tx) => takeOne(tx, workspaceId, petId)),
    );
    const sold = (await Promise.all(buyers)).filter(Boolean);
    expect(sold).toHaveLength(25);
    const { items } = await store.read.ledger.list(workspaceId, { petId }, page);
    const left = items.map(({ quantityAfter }) => quantityAfter);
    expect(left).toEqual(Array.from({ length: 26 }, (_, at) => 25 - at));
  });

  it('gives a name to one of many that want it at the same moment', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    const wishes = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? store : other).transact((tx) =>
        tx.categories.create(workspaceId, { name: 'Cats' }),
      ),
    );
    expect((await Promise.all(wishes)).filter(Boolean)).toHaveLength(1);
    expect(await categoryNames(store, workspaceId)).toEqual(['Cats']);
  });

  it('never leaves a pet without its category, whichever comes first', async () => {
    const { store, other } = opened();
    const workspaceId = await newWorkspace(store);
    for (let round = 0; round < 10; round += 1) {
      const categoryId = await newCategory(store, workspaceId, `c${round}`);
      const pet = { name: 'Rex', categoryId, stock: oneUnit };
      const [petId, isDeleted] = await Promise.all([
        store.transact((tx) => createIn(tx, workspaceId, pet, why)).catch(() => undefined),
        other.transact((tx) => tx.categories.delete(workspaceId, categoryId)).catch(() => false),
      ]);
      expect(petId === undefined).toBe(isDeleted);
      const category = await store.read.categories.find(workspaceId, categoryId);
      expect(category === undefined).toBe(isDeleted);
    }
  });

  it('finishes what is under way before it closes', async () => {
    const { store, openAnother } = opened();
    const workspaceId = await newWorkspace(store);
    const closing = openAnother();
    const units = Array.from({ length: 30 }, (_, at) =>
      closing.transact((tx) => tx.categories.create(workspaceId, { name: `c${at}` })),
    );
    await closing.close();
    expect(await Promise.all(units)).toHaveLength(30);
    expect(await categoryNames(store, workspaceId)).toHaveLength(30);
  });
}
