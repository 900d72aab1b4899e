import { expect, it, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Caller } from '../../src/domain/key.ts';
import { reconcile } from '../../src/services/maintenance/reconcile.ts';
import { placeOrder } from '../../src/services/orders.ts';
import { openStore } from '../../src/stores.ts';
import { newShop } from '../datastore/fixture.ts';
import { repeats } from '../support/effort.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ORDERS = 2_000;
const KILLS = repeats({ usual: 2, thorough: 4 });
const everything = { limit: 3 * ORDERS, sort: 'id' } as const;

it('releases every overdue order once, however often the service is killed while it sweeps', async () => {
  const folder = temporaryFolder();
  const config = readConfig({ PETSTORE_DATA_DIR: folder.path });
  const { store } = await openStore(config);
  const { workspaceId, petId } = await newShop(store, {
    quantity: ORDERS,
    reserved: 0,
    held: false,
  });
  const limits = { perMinute: 1, perDay: 1 };
  const caller: Caller = { keyId: 'key', workspaceId, scopes: [], limits };
  // The service was stopped when they became due.
  const now = Date.now() - 3_600_000;
  const order = { petId, quantity: 1, complete: false, expiresAt: now + 1_000 };
  const placing = Array.from({ length: ORDERS }, () =>
    store.transact((tx) => placeOrder(tx, { caller, order, now })),
  );
  const ids = (await Promise.all(placing)).map(({ id }) => id);
  await store.close();

  for (let kill = 0; kill <= KILLS; kill++) {
    const service = await startService(folder.path);
    const { store: beside } = await openStore(config);
    const left = async () =>
      (await beside.read.orders.list(workspaceId, {}, everything)).items.length;
    const enough = kill === KILLS ? 0 : ORDERS - ((kill + 1) * ORDERS) / (KILLS + 1);
    const isReached = async () => expect(await left()).toBeLessThanOrEqual(enough);
    await vi.waitFor(isReached, { timeout: 60_000, interval: 1 });
    service.process.kill('SIGKILL');
    await service.exited;
    await beside.close();
  }

  const { store: after } = await openStore(config);
  const { items } = await after.read.ledger.list(workspaceId, { petId }, everything);
  const released = items.flatMap((row) => (row.cause === 'released' ? [row.orderId] : []));
  expect(released.toSorted((a, b) => a! - b!)).toEqual(ids);
  expect((await reconcile(after)).found).toEqual({ reserved: [], ledger: [], links: [] });
  await after.close();
  folder.remove();
});
