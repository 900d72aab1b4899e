import { describe, expect, it, onTestFinished } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { endOrder } from '../../src/domain/order.ts';
import { copyStore } from '../../src/services/maintenance/copy.ts';
import { openStoreAlone } from '../../src/stores.ts';
import {
  changeIn,
  NOW,
  newCategory,
  newShop,
  newShopOf,
  oneUnit,
  placeIn,
  why,
} from '../datastore/fixture.ts';
import { testApp } from '../support/app.ts';
import { createDatabase, createMigratedDatabase, onDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const places = {
  SQLite: () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    return folder.path;
  },
  PostgreSQL: createMigratedDatabase,
};
const workspace = {
  name: 'a',
  plan: 'free',
  limits: { perMinute: 1, perDay: 1 },
  createdAt: 1,
} as const;
const engines = Object.keys(places) as (keyof typeof places)[];

describe('copy', () => {
  it('copies a store from SQLite to PostgreSQL, continues after an interruption, and compares every row', async () => {
    const app = await testApp({ engine: 'sqlite' });
    await app.call('POST', '/v1/categories', { body: { name: 'Dogs', description: 'Ünïcödé 🐕' } });
    const stamps: number[] = [];
    for (let n = 1; n <= 620; n++) {
      stamps.push(app.clock.now());
      await app.call('POST', '/v1/pets', { body: { name: `Pet ${n}`, categoryId: 1 } });
    }
    const headers = { 'idempotency-key': 'kept' };
    await app.call('POST', '/v1/store/orders', { body: { petId: 1 }, headers });
    await app.call('DELETE', '/v1/pets/2');
    await app.stop({ isFolderKept: true });

    await using from = await openStoreAlone(app.config.PETSTORE_DATA_DIR);
    const url = await createDatabase();
    await using to = await openStoreAlone(url);
    let steps = 0;
    const interrupted = copyStore(from.store, to.store, ({ table }) => {
      if (table === 'pets' && ++steps === 1) throw new Error('interrupted');
    });
    await expect(interrupted).rejects.toThrow('interrupted');
    const result = await copyStore(from.store, to.store, () => undefined);
    expect(result.differences).toEqual([]);
    expect(result.equal).toBeGreaterThan(620 * 2);
    const [first, last] = [1, 500].map((n) => stamps[n]!);
    for (const asOf of [0, first!, last!, Date.now() + 60_000]) {
      const stockThen = ({ store }: typeof from) =>
        store.read.ledger.listAsOf(1, { asOf }, { limit: 1_000, sort: 'id' });
      expect(await stockThen(to)).toEqual(await stockThen(from));
    }
    const nextId = await to.store.transact((tx) =>
      tx.categories.create(1, { name: 'Cats' }).then((category) => category?.id),
    );
    expect(nextId).toBe(2);
  });

  it('refuses a target that holds another store, and writes nothing', async () => {
    await using one = await openStoreAlone(await createDatabase());
    await using two = await openStoreAlone(await createDatabase());
    await one.store.transact((tx) => tx.workspaces.create(workspace));
    await two.store.transact((tx) => tx.workspaces.create({ ...workspace, name: 'b' }));
    const copying = copyStore(one.store, two.store, () => undefined);
    await expect(copying).rejects.toThrow(/rows in workspaces .* copy into an empty database/);
    expect((await two.store.read.workspaces.find(1))!.name).toBe('b');
  });

  for (const [kind, pets] of Object.entries({ fewer: 1, more: 3 })) {
    it(`refuses a target whose store has ${kind} pets and the same workspace, and writes nothing`, async () => {
      await using one = await openStoreAlone(places.SQLite());
      await using two = await openStoreAlone(await places.PostgreSQL());
      await newShopOf(one.store, 2, oneUnit);
      await newShopOf(two.store, pets, { ...oneUnit, quantity: 7 });
      const copying = copyStore(one.store, two.store, () => undefined);
      await expect(copying).rejects.toThrow(/rows in pets .* nothing was written/);
      const { items } = await two.store.read.pets.list(1, {}, { sort: 'id', limit: 10 });
      expect(items.map(({ stock }) => stock.quantity)).toEqual(Array(pets).fill(7));
    });
  }

  it('reports what differs after the copy and overwrites nothing', async () => {
    await using one = await openStoreAlone(places.SQLite());
    await using two = await openStoreAlone(places.SQLite());
    await one.store.transact((tx) => tx.workspaces.create(workspace));
    let change: Promise<unknown> | undefined;
    const { differences } = await copyStore(one.store, two.store, () => {
      change ??= two.store.transact((tx) => tx.workspaces.create({ ...workspace, name: 'b' }));
    });
    await change;
    expect(differences).toHaveLength(1);
    expect(differences[0]).toContain('workspaces: the source has no row');
    expect((await two.store.read.workspaces.find(2))!.name).toBe('b');
  });

  for (const from of engines) {
    for (const to of engines) {
      it(`never gives the id of a deleted record out again, from ${from} to ${to}`, async () => {
        await using source = await openStoreAlone(await places[from]());
        await using target = await openStoreAlone(await places[to]());
        const { workspaceId, petId } = await newShop(source.store);
        // Its order has ended, and only a category with a smaller id is left.
        expect(await createAndDelete(source.store, workspaceId, petId)).toEqual([1, 2]);
        const { differences } = await copyStore(source.store, target.store, () => undefined);
        expect(differences).toEqual([]);
        const categoryId = await newCategory(target.store, workspaceId, 'Cats');
        expect(categoryId).toBe(3);
        await target.store.transact((tx) => tx.categories.delete(workspaceId, categoryId));
        // A copy that runs again does not number backwards.
        await copyStore(source.store, target.store, () => undefined);
        expect(await createAndDelete(target.store, workspaceId, petId)).toEqual([2, 4]);
      });
    }
  }

  it('refuses to copy while events are not numbered, and copies nothing', async () => {
    const url = await createMigratedDatabase();
    await using from = await openStoreAlone(url);
    await using to = await openStoreAlone(await createMigratedDatabase());
    // Its pet has left an event.
    const { workspaceId } = await newShop(from.store);
    const copy = () => copyStore(from.store, to.store, () => undefined);
    await onDatabase(url, async (node) => {
      await node.query('BEGIN; LOCK TABLE event_heads IN EXCLUSIVE MODE');
      await expect(copy()).rejects.toThrow(/not numbered yet: stop every service/);
      expect(await to.store.read.workspaces.find(workspaceId)).toBeUndefined();
      await node.query('ROLLBACK');
    });
    expect((await copy()).differences).toEqual([]);
    expect((await to.store.read.events.head(workspaceId)).lastSequence).toBe(1);
  });
});

/** Creates an order and a category, cancels the one, deletes the other, and returns their ids. */
async function createAndDelete(store: Datastore, workspaceId: number, petId: number) {
  const order = { petId, quantity: 1, complete: false };
  const orderId = await store.transact((tx) => placeIn(tx, workspaceId, order, why));
  return store.transact(async (tx) => {
    const category = (await tx.categories.create(workspaceId, { name: 'Cats' }))!;
    const open = (await tx.orders.findAndLock(workspaceId, orderId!))!;
    await tx.orders.update(workspaceId, endOrder(open, { state: 'cancelled', at: NOW }));
    await tx.categories.delete(workspaceId, category.id);
    const stock = await tx.stock.lock(workspaceId, petId);
    await changeIn(
      tx,
      workspaceId,
      petId,
      stock,
      { ...stock, reserved: 0 },
      { ...why, cause: 'released' },
    );
    return [orderId, category.id];
  });
}
