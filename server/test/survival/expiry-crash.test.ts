import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { Refusal } from '../../src/domain/errors.ts';
import type { Caller } from '../../src/domain/key.ts';
import { type OrderState, orderStates } from '../../src/domain/order.ts';
import { reconcile } from '../../src/services/maintenance/reconcile.ts';
import { cancelOrder, placeOrder, updateOrder } from '../../src/services/orders.ts';
import { openStore } from '../../src/stores.ts';
import { newShop } from '../datastore/fixture.ts';
import { repeats } from '../support/effort.ts';
import { createMigratedDatabase } from '../support/servers.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ORDERS = repeats({ usual: 1_000, thorough: 2_000 });
const KILLS = repeats({ usual: 2, thorough: 4 });
const everything = { limit: 3 * ORDERS, sort: 'id' } as const;
const NO_DIFFERENCE = { reserved: [], ledger: [], links: [] };

/** Orders that became due while no service ran. */
async function placeOverdue(store: Datastore) {
  const stock = { quantity: ORDERS, reserved: 0, held: false };
  const { workspaceId, petId } = await newShop(store, stock);
  const limits = { perMinute: 1, perDay: 1 };
  const caller: Caller = { keyId: 'key', workspaceId, scopes: [], limits };
  const now = Date.now() - 3_600_000;
  const order = { petId, quantity: 1, complete: false, expiresAt: now + 1_000 };
  const placing = Array.from({ length: ORDERS }, () =>
    store.transact((tx) => placeOrder(tx, { caller, order, now })),
  );
  const ids = (await Promise.all(placing)).map(({ id }) => id).toSorted((a, b) => a - b);
  return { caller, workspaceId, petId, ids };
}

/** Completes and cancels orders, the latest first, until it meets one that has expired. Returns how each of its orders ended. */
async function endMany(store: Datastore, caller: Caller, ids: readonly number[]) {
  const ended = new Map<number, OrderState>();
  for (const id of ids.toReversed()) {
    const change = { caller, id, checkMatch: () => undefined, now: Date.now() };
    const state = id % 2 === 0 ? 'complete' : 'cancelled';
    try {
      await store.transact(async (tx) => {
        if (state === 'cancelled') return cancelOrder(tx, change);
        await updateOrder(tx, { ...change, patch: { complete: true } });
      });
      ended.set(id, state);
    } catch (err) {
      if (!(err instanceof Refusal && err.code === 'order_ended')) throw err;
      return ended;
    }
  }
  return ended;
}

describe.each([
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ PETSTORE_DATABASE_URL: await createMigratedDatabase() })],
])('overdue orders on %s', (_, newDatabase) => {
  const folders: { remove: () => void }[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove();
  });

  it('end once, however often the service is killed while it sweeps and others end them', async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    const environment: Record<string, string> = await newDatabase();
    const config = readConfig({ PETSTORE_DATA_DIR: folder.path, ...environment });
    const { store: before } = await openStore(config);
    const { caller, workspaceId, petId, ids } = await placeOverdue(before);
    await before.close();
    let service = await startService(folder.path, environment);
    const { store } = await openStore(config);
    const openOrders = async () =>
      (await store.read.orders.list(workspaceId, { state: ['open'] }, everything)).items.length;

    const ending = endMany(store, caller, ids);
    for (let kill = 0; kill <= KILLS; kill++) {
      if (kill > 0) service = await startService(folder.path, environment);
      const enough = kill === KILLS ? 0 : ORDERS - ((kill + 1) * ORDERS) / (KILLS + 1);
      const isReached = async () => {
        // A store reads one state of SQLite in each tick.
        await setImmediate();
        // At every moment the pet has reserved what its open orders hold.
        expect(await store.read.audit.differences()).toEqual(NO_DIFFERENCE);
        return (await openOrders()) <= enough;
      };
      const until = performance.now() + 60_000;
      while (!(await isReached())) expect(performance.now()).toBeLessThan(until);
      service.process.kill('SIGKILL');
      await service.exited;
    }

    const ended = await ending;
    const { items: orders } = await store.read.orders.list(
      workspaceId,
      { state: orderStates },
      everything,
    );
    expect(orders.map(({ id, state, endReason }) => ({ id, state, endReason }))).toEqual(
      ids.map((id) => {
        const state = ended.get(id) ?? 'expired';
        return { id, state, endReason: state === 'expired' ? 'expired' : undefined };
      }),
    );
    for (const { endedAt, expiresAt } of orders) {
      expect(endedAt).toBeGreaterThan(0);
      expect(expiresAt).toBeUndefined();
    }
    const { items } = await store.read.ledger.list(workspaceId, { petId }, everything);
    const endedBy = (cause: string) =>
      items.flatMap((row) => (row.cause === cause ? [row.orderId!] : [])).toSorted((a, b) => a - b);
    const fulfilled = ids.filter((id) => ended.get(id) === 'complete');
    expect(endedBy('fulfilled')).toEqual(fulfilled);
    expect(endedBy('released')).toEqual(ids.filter((id) => !fulfilled.includes(id)));
    expect(ended.size).toBeLessThan(ORDERS);
    expect((await reconcile(store)).found).toEqual(NO_DIFFERENCE);
    await store.close();
  });
});
