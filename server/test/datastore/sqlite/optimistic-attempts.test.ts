import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Transaction } from '../../../src/datastore/datastore.ts';
import { migrateSqlite } from '../../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../../src/datastore/sqlite/sqlite-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { placeOrder } from '../../../src/services/orders.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { NOW, newShop, newWorkspace, oneUnit, Undo } from '../fixture.ts';

type Shop = Awaited<ReturnType<typeof newShop>>;

const page = { sort: 'id', limit: 100 } as const;
const folder = temporaryFolder();
let store: SqliteDatastore;
let workspaceId: number;

beforeAll(() => {
  const file = `${folder.path}/petstore.db`;
  migrateSqlite(file);
  store = new SqliteDatastore(file, new Coalescer());
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

async function names(): Promise<string[]> {
  const { items } = await store.read.categories.list(workspaceId, {}, page);
  return items.map(({ name }) => name);
}

/** Commits `a`, the given unit and `b` in one group. Returns what became of the unit, and which ones ran. */
async function groupWith(work: (tx: Transaction) => Promise<unknown>) {
  workspaceId = await newWorkspace(store);
  const runs: string[] = [];
  const unit = (name: string, run: (tx: Transaction) => Promise<unknown>) =>
    store.transact((tx) => {
      runs.push(name);
      return run(tx);
    });
  const add = (name: string) => unit(name, (tx) => tx.categories.create(workspaceId, { name }));
  const [, outcome] = await Promise.allSettled([add('a'), unit('unit', work), add('b')]);
  return { outcome, runs: runs.join(' ') };
}

it('runs a group once when a unit fails that has changed nothing', async () => {
  const undo = new Undo();
  const { outcome, runs } = await groupWith(async (tx) => {
    await tx.categories.delete(workspaceId, 1_000_000);
    throw undo;
  });
  expect(outcome).toEqual({ status: 'rejected', reason: undo });
  expect(runs).toBe('a unit b');
  expect(await names()).toEqual(['a', 'b']);
});

it('runs a group once when an order finds too few units', async () => {
  const shop = await newShop(store);
  const limits = { perMinute: 60, perDay: 1_000 };
  const caller = { keyId: 'key', workspaceId: shop.workspaceId, scopes: [], limits };
  const order = { petId: shop.petId, quantity: 2, complete: false };
  const { outcome, runs } = await groupWith((tx) => placeOrder(tx, { caller, order, now: NOW }));
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'insufficient_stock' } });
  expect(runs).toBe('a unit b');
});

it('runs a group again, with savepoints, when a unit fails after a change', async () => {
  const undo = new Undo();
  const { outcome, runs } = await groupWith(async (tx) => {
    await tx.categories.create(workspaceId, { name: 'c' });
    throw undo;
  });
  expect(outcome).toEqual({ status: 'rejected', reason: undo });
  expect(runs).toBe('a unit a unit b');
  expect(await names()).toEqual(['a', 'b']);
});

it('undoes an attempt that failed after a change, although its unit goes on', async () => {
  const { outcome, runs } = await groupWith(async (tx) => {
    const failing = tx.attempt(async () => {
      await tx.categories.create(workspaceId, { name: 'c' });
      throw new Undo();
    });
    await failing.catch(() => undefined);
    return (await tx.categories.create(workspaceId, { name: 'd' }))!.name;
  });
  expect(outcome).toEqual({ status: 'fulfilled', value: 'd' });
  expect(runs).toBe('a unit a unit b');
  expect(await names()).toEqual(['a', 'd', 'b']);
});

it.each([
  [
    'one row',
    (tx: Transaction, { workspaceId, petId }: Shop) =>
      tx.batches.insertOrders(workspaceId, [{ petId, quantity: 1, complete: false }], NOW),
  ],
  [
    'rows',
    (tx: Transaction, { workspaceId, categoryId }: Shop) =>
      tx.pets.createMany(workspaceId, [{ name: 'Tom', categoryId, stock: oneUnit }]),
  ],
] as const)('undoes a change whose statement returns %s', async (_, change) => {
  const shop = await newShop(store);
  const { outcome } = await groupWith(async (tx) => {
    await change(tx, shop);
    throw new Undo();
  });
  expect(outcome!.status).toBe('rejected');
  expect((await store.read.orders.list(shop.workspaceId, {}, page)).items).toEqual([]);
  expect((await store.read.pets.list(shop.workspaceId, {}, page)).items).toHaveLength(1);
});

it('begins each group without savepoints', async () => {
  await groupWith(async (tx) => {
    await tx.categories.create(workspaceId, { name: 'c' });
    throw new Undo();
  });
  const { runs } = await groupWith(() => Promise.resolve());
  expect(runs).toBe('a unit b');
  const { runs: again } = await groupWith(async (tx) => {
    await tx.categories.create(workspaceId, { name: 'c' });
    throw new Undo();
  });
  expect(again).toBe('a unit a unit b');
});
