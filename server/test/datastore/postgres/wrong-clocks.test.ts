// Expiry on PostgreSQL goes by the clock of the server, whatever the clock of a node says.

import { beforeAll, describe, expect, it } from 'vitest';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { DAY_MS } from '../../../src/domain/durations.ts';
import type { Caller } from '../../../src/domain/key.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { ExpirySweep } from '../../../src/services/expiry.ts';
import { placeOrder } from '../../../src/services/orders.ts';
import { createDatabase } from '../../support/servers.ts';
import { newShop, placeIn } from '../fixture.ts';

const MINUTE_MS = 60_000;

describe.each([10_000, 90_000, 3 * DAY_MS, -10_000, -90_000, -3 * DAY_MS])(
  'a node whose clock is off by %i ms',
  (offMs) => {
    let store: PostgresDatastore;
    const clock = { now: () => Date.now() + offMs };
    beforeAll(async () => {
      const url = await createDatabase();
      await migratePostgres(url);
      store = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
      return () => store.close();
    });

    /** A pet whose two units are held, by an order that is overdue and by one that is not, by the server's clock. */
    async function heldPet() {
      const shop = await newShop(store, { quantity: 2, reserved: 0, held: false });
      const { workspaceId, petId } = shop;
      const place = (expiresAt: number) =>
        store.transact((tx) =>
          placeIn(
            tx,
            workspaceId,
            { petId, quantity: 1, complete: false, expiresAt },
            { keyId: 'key', at: Date.now() },
          ),
        );
      const overdue = await place(Date.now() - MINUTE_MS);
      const held = await place(Date.now() + MINUTE_MS);
      return { ...shop, overdue, held };
    }

    const openOrders = async (workspaceId: number) =>
      (await store.read.orders.list(workspaceId, {}, { limit: 9, sort: 'id' })).items.map(
        ({ id }) => id,
      );

    it('ends what is overdue by the clock of the server, and nothing else', async () => {
      const { workspaceId, held } = await heldPet();
      const onFailure = (err: unknown) => expect.fail(String(err));
      await new ExpirySweep({ clock, onChange: () => undefined, onFailure }).sweep(store);
      expect(await openOrders(workspaceId)).toEqual([held]);
    });

    it('takes units for a buyer from overdue orders alone', async () => {
      const { workspaceId, petId, held } = await heldPet();
      const caller = { keyId: 'key', workspaceId } as Caller;
      const order = { petId, quantity: 1, complete: false };
      const buy = () => store.transact((tx) => placeOrder(tx, { caller, order, now: clock.now() }));
      const bought = await buy();
      await expect(buy()).rejects.toMatchObject({ code: 'insufficient_stock' });
      expect(await openOrders(workspaceId)).toEqual([held, bought.id]);
    });
  },
);
