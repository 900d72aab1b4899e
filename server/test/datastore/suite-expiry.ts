import { expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { Refusal } from '../../src/domain/errors.ts';
import type { Caller } from '../../src/domain/key.ts';
import { placeOrders } from '../../src/services/batches/order-batches.ts';
import { ExpirySweep, expireOverdue } from '../../src/services/expiry.ts';
import { reconcile, reconcileAndRepair } from '../../src/services/maintenance/reconcile.ts';
import { placeOrder, updateOrder } from '../../src/services/orders.ts';
import { repeats } from '../support/effort.ts';
import { changeIn, NOW, newShop, newShopOf, type Opened } from './fixture.ts';

const EXPIRIES = repeats({ usual: 150, thorough: 2_000 });
const CROWD = 40;
/** Nine values each are more than SQLite takes in a statement, and more than PostgreSQL takes. */
const MANY = 8_000;
const DUE_AT = NOW + 1_000;
const everything = { limit: 3 * EXPIRIES, sort: 'id' } as const;

const throwFailure = (err: unknown): void => {
  throw err;
};

const sweepOver = (store: Datastore, changed: number[] = [], onFailure = throwFailure) => {
  const sweep = new ExpirySweep({
    clock: { now: () => DUE_AT },
    onChange: (workspaceId) => changed.push(workspaceId),
    onFailure,
  });
  return { sweep: () => sweep.sweep(store), drop: sweep.drop.bind(sweep) };
};

/** A sweep long after all these orders were due. `begins` has where each of its looks began. */
function sweepLater(store: Datastore) {
  const failures: unknown[] = [];
  const sweep = new ExpirySweep({
    clock: { now: () => DUE_AT + 120_000 },
    onChange: () => undefined,
    onFailure: (err) => void failures.push(err),
  });
  const begins: number[] = [];
  const { orders } = store.read;
  const listDue: typeof orders.listDue = (...given) => {
    begins.push(given[1].expiresAt);
    return orders.listDue(...given);
  };
  const seen = {
    read: { ...store.read, orders: { listDue } as typeof orders },
    transact: ((work) => store.transact(work)) as Datastore['transact'],
    tidy: () => store.tidy(),
  };
  const drop = sweep.drop.bind(sweep);
  return { sweep: () => sweep.sweep(seen), begins, drop, failures };
}

function setState(store: Datastore, workspaceId: number, suspendedAt: number | undefined) {
  return store.transact(async (tx) => {
    const workspace = (await tx.workspaces.findAndLock(workspaceId))!;
    const { suspendedAt: _, suspendReason: __, ...active } = workspace;
    const suspended = suspendedAt === undefined ? {} : { suspendedAt, suspendReason: '' };
    await tx.workspaces.update({ ...active, ...suspended });
  });
}

/** A shop whose pet has `EXPIRIES` open orders of one unit, all due at the same instant, and one unit more. */
async function dueShop(store: Datastore) {
  const shop = await newShop(store, { quantity: EXPIRIES + 1, reserved: 0, held: false });
  const { workspaceId, petId } = shop;
  const limits = { perMinute: 1, perDay: 1 };
  const caller: Caller = { keyId: 'key', workspaceId, scopes: [], limits };
  const order = { petId, quantity: 1, complete: false, expiresAt: DUE_AT };
  const placed = await atOnce(Array(EXPIRIES).fill(order), (each) =>
    store.transact((tx) => placeOrder(tx, { caller, order: each, now: NOW })),
  );
  const ids = placed.map(({ id }) => id).toSorted((a, b) => a - b);
  return { ...shop, caller, ids };
}

/** Runs the work for all items, a crowd of them at the same time. Returns the results in the order of the items. */
async function atOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...items.entries()].reverse();
  const run = async () => {
    for (let next = left.pop(); next; next = left.pop()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: CROWD }, run));
  return results;
}

async function endOf(store: Datastore, shop: { workspaceId: number; petId: number }) {
  const { items: ledger } = await store.read.ledger.list(
    shop.workspaceId,
    { petId: shop.petId },
    everything,
  );
  const { stock } = (await store.read.stock.find(shop.workspaceId, shop.petId))!;
  const { items: orders } = await store.read.orders.list(shop.workspaceId, {}, everything);
  const endedBy = (cause: string) =>
    ledger.flatMap((row) => (row.cause === cause ? [row.orderId!] : [])).toSorted((a, b) => a - b);
  return { stock, orders, released: endedBy('released'), fulfilled: endedBy('fulfilled') };
}

export function expirySuite(opened: Opened, takesMany: boolean): void {
  it('releases each order once when two nodes sweep at the same time', async () => {
    const { store, other } = opened();
    const shop = await dueShop(store);
    const neighbour = await dueShop(store);
    const changed: number[] = [];
    await Promise.all([sweepOver(store, changed).sweep(), sweepOver(other, changed).sweep()]);
    for (const { ids, ...one } of [shop, neighbour]) {
      const { stock, orders, released } = await endOf(store, one);
      expect(released).toEqual(ids);
      expect(orders).toEqual([]);
      expect(stock).toEqual({ quantity: EXPIRIES + 1, reserved: 0, held: false });
      expect(changed).toContain(one.workspaceId);
    }
    expect((await reconcile(store)).found).toEqual({ reserved: [], ledger: [], links: [] });
  });

  it('either completes an order or ends it, never both, at the instant it is due', async () => {
    const { store, other } = opened();
    const { ids, caller, ...shop } = await dueShop(store);
    const change = { caller, checkMatch: () => undefined, now: DUE_AT };
    const completing = atOnce(ids, async (id) => {
      try {
        const patch = { complete: true };
        await store.transact((tx) => updateOrder(tx, { ...change, id, patch }));
        return id;
      } catch (err) {
        if (err instanceof Refusal && err.code === 'order_ended') return undefined;
        throw err;
      }
    });
    await sweepOver(other).sweep();
    const completed = (await completing).filter((id) => id !== undefined);
    await sweepOver(other).sweep();
    const { stock, orders, released, fulfilled } = await endOf(store, shop);
    expect(fulfilled).toEqual(completed);
    expect(orders.map(({ id }) => id)).toEqual(completed);
    expect([...released, ...fulfilled].toSorted((a, b) => a - b)).toEqual(ids);
    expect(stock).toEqual({ quantity: 1 + released.length, reserved: 0, held: false });
  });

  it('ends nothing before its time, and nothing that no longer expires', async () => {
    const { store } = opened();
    const { ids, caller, ...shop } = await dueShop(store);
    const patch = { expiresAt: null };
    const change = { caller, checkMatch: () => undefined, now: NOW, id: ids[0]!, patch };
    await store.transact((tx) => updateOrder(tx, change));
    const early = { now: () => DUE_AT - 1 };
    const options = { clock: early, onChange: () => undefined, onFailure: () => undefined };
    await new ExpirySweep(options).sweep(store);
    expect((await endOf(store, shop)).orders).toHaveLength(EXPIRIES);
    await sweepOver(store).sweep();
    expect((await endOf(store, shop)).orders.map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('ends no order of another workspace', async () => {
    const { store } = opened();
    const { petId, ...shop } = await dueShop(store);
    const { workspaceId } = await newShop(store);
    await store.transact((tx) =>
      expireOverdue(tx, { workspaceId, wanted: new Map([[petId, EXPIRIES]]) }, DUE_AT),
    );
    expect((await endOf(store, { ...shop, petId })).orders).toHaveLength(EXPIRIES);
  });

  it('does not look again at overdue orders of a workspace that is not active until it changes, whatever others do', async () => {
    const { store } = opened();
    const { workspaceId, petId, ids } = await dueShop(store);
    await setState(store, workspaceId, NOW);
    const { sweep, begins, drop } = sweepLater(store);
    // The first may still end orders of others.
    for (let n = 0; n < 3; n++) await sweep();
    drop({ kind: 'workspace', workspaceId: workspaceId + 1, subject: '' });
    await sweep();
    expect(begins.slice(-2)).toEqual([DUE_AT, DUE_AT]);
    await setState(store, workspaceId, undefined);
    drop({ kind: 'workspace', workspaceId, subject: '' });
    await sweep();
    expect((await endOf(store, { workspaceId, petId })).released).toEqual(ids);
  });

  it('does not look again at overdue orders of a miscounted pet until it is repaired', async () => {
    const { store } = opened();
    const { workspaceId, petId } = await newShop(store);
    const due = { petId, quantity: 1, complete: false, expiresAt: DUE_AT };
    const [id] = await store.transact((tx) => tx.orders.insert(workspaceId, [due], NOW));
    const { sweep, begins, drop, failures } = sweepLater(store);
    for (let n = 0; n < 3; n++) await sweep();
    expect(begins.slice(-1)).toEqual([DUE_AT]);
    expect(failures).toHaveLength(1);
    await reconcileAndRepair(store, { now: () => DUE_AT });
    for (const change of await store.read.changes.list(0)) drop(change);
    await sweep();
    expect((await endOf(store, { workspaceId, petId })).released).toEqual([id]);
  });

  it('ends orders that an import brings and that were overdue before those it passes over', async () => {
    const { store } = opened();
    const suspended = await dueShop(store);
    await setState(store, suspended.workspaceId, NOW);
    const { sweep, begins, drop } = sweepLater(store);
    for (let n = 0; n < 3; n++) await sweep();
    expect(begins.slice(-1)).toEqual([DUE_AT]);
    const { caller, ...shop } = await dueShop(store);
    const order = { petId: shop.petId, quantity: 1, complete: false, expiresAt: NOW + 1 };
    const { id } = await store.transact((tx) => placeOrder(tx, { caller, order, now: NOW }));
    const before = (await store.read.changes.list(0)).map((change) => change.id);
    await store.transact((tx) => tx.imports.finish(shop.workspaceId, NOW));
    const changes = await store.read.changes.list(0);
    for (const change of changes.filter((each) => !before.includes(each.id))) drop(change);
    await sweep();
    expect((await endOf(store, shop)).released).toContain(id);
  });

  it('skips pets that have fewer units reserved than their orders hold, reports them once, and ends all other orders', async () => {
    const { store } = opened();
    const { ids, ...shop } = await dueShop(store);
    const miscounted = await newShopOf(store, 2, { quantity: EXPIRIES, reserved: 0, held: false });
    const { workspaceId, petIds } = miscounted;
    for (const petId of petIds) {
      const older = { petId, quantity: 1, complete: false, expiresAt: DUE_AT - 1 };
      const orders = Array.from({ length: EXPIRIES }, () => older);
      await store.transact((tx) => tx.orders.insert(workspaceId, orders, NOW));
    }
    const failures: unknown[] = [];
    const sweep = sweepOver(store, [], (err) => void failures.push(err));
    await sweep.sweep();
    expect((await endOf(store, shop)).released).toEqual(ids);
    const { orders, released } = await endOf(store, { workspaceId, petId: petIds[0]! });
    expect(orders).toHaveLength(2 * EXPIRIES);
    expect(released).toEqual([]);
    await sweep.sweep();
    const pets = petIds.map((id) => `pet ${id}`).join(', ');
    expect(failures.map(String)).toEqual([
      `Error: ${pets}: fewer units are reserved than open orders hold; run \`petstore server reconcile\``,
    ]);
    await reconcileAndRepair(store, { now: () => DUE_AT });
    for (const change of await store.read.changes.list(0)) sweep.drop(change);
    await sweep.sweep();
    expect((await endOf(store, { workspaceId, petId: petIds[0]! })).orders).toEqual([]);
    expect(failures).toHaveLength(1);
    expect((await reconcile(store)).found).toEqual({ reserved: [], ledger: [], links: [] });
  });

  it('leaves no buyer without a unit while overdue orders hold them', async () => {
    const { store, other } = opened();
    const { caller, ...shop } = await dueShop(store);
    const order = { petId: shop.petId, quantity: 1, complete: false };
    const buyers = Array.from({ length: EXPIRIES + 1 }, (_, at) => at);
    const buying = atOnce(buyers, (at) =>
      (at % 2 ? store : other).transact((tx) => placeOrder(tx, { caller, order, now: DUE_AT })),
    );
    await Promise.all([sweepOver(other).sweep(), buying]);
    const { stock, orders } = await endOf(store, shop);
    expect(stock.reserved).toBe(EXPIRIES + 1);
    expect(orders).toHaveLength(EXPIRIES + 1);
  });

  it('ends no more overdue orders of a pet than are wanted, the oldest first', async () => {
    const { store } = opened();
    const { ids, caller, ...shop } = await dueShop(store);
    const order = { petId: shop.petId, quantity: 3, complete: false };
    await store.transact((tx) => placeOrder(tx, { caller, order, now: DUE_AT }));
    const placed = await endOf(store, shop);
    expect(placed.released).toEqual(ids.slice(0, 3));
    expect(placed.stock.reserved).toBe(EXPIRIES);
    const change = { caller, checkMatch: () => undefined, now: DUE_AT, id: ids[3]! };
    await store.transact((tx) => updateOrder(tx, { ...change, patch: { quantity: 4 } }));
    expect((await endOf(store, shop)).released).toEqual([...ids.slice(0, 3), ...ids.slice(4, 7)]);
    const batch = { caller, rows: [order, order], isAllOrNothing: true, now: DUE_AT };
    await store.transact((tx) => placeOrders(tx, batch));
    expect((await endOf(store, shop)).released).toEqual(ids.slice(0, 12));
  });

  if (takesMany) {
    it('ends more overdue orders of a pet than one statement can write', async () => {
      const { store } = opened();
      const stock = { quantity: MANY, reserved: MANY, held: false };
      const free = { ...stock, reserved: 0 };
      const { workspaceId, petId } = await newShop(store, free);
      const why = { keyId: 'key', at: NOW, cause: 'reserved' } as const;
      await store.transact((tx) => changeIn(tx, workspaceId, petId, free, stock, why));
      const due = { petId, quantity: 1, complete: false, expiresAt: DUE_AT };
      for (let at = 0; at < MANY; at += 1_000) {
        const part = Array.from({ length: 1_000 }, () => due);
        await store.transact((tx) => tx.orders.insert(workspaceId, part, NOW));
      }
      const limits = { perMinute: 1, perDay: 1 };
      const caller: Caller = { keyId: 'key', workspaceId, scopes: [], limits };
      const order = { petId, quantity: MANY, complete: false };
      await store.transact((tx) => placeOrder(tx, { caller, order, now: DUE_AT }));
      const { items } = await store.read.orders.list(workspaceId, {}, { limit: MANY, sort: 'id' });
      expect(items.map(({ quantity }) => quantity)).toEqual([MANY]);
      expect((await store.read.stock.find(workspaceId, petId))!.stock).toEqual(stock);
    });
  }
}
