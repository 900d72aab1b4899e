// Expiry and deliveries on PostgreSQL go by the clock of the server, whatever the clock of a node says.

import { beforeAll, describe, expect, it } from 'vitest';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { DAY_MS } from '../../../src/domain/durations.ts';
import type { Caller } from '../../../src/domain/key.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { ExpirySweep } from '../../../src/services/expiry.ts';
import { placeOrder } from '../../../src/services/orders.ts';
import {
  createDatabase,
  createMigratedDatabase,
  holdServerClock,
  onDatabase,
} from '../../support/servers.ts';
import { NOW, newShop, placeIn, why } from '../fixture.ts';
import { newWebhook } from '../suite-webhooks.ts';

describe.each([10_000, 90_000, 3 * DAY_MS, -10_000, -90_000, -3 * DAY_MS])(
  'a node whose clock is off by %i ms',
  (offMs) => {
    let url: string;
    let store: PostgresDatastore;
    const clock = { now: () => NOW + offMs };
    beforeAll(async () => {
      url = await createMigratedDatabase();
      store = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
      return () => store.close();
    });

    /** A pet whose two units are held, by an order that is due by the server's clock and by one that is a millisecond later. */
    async function heldPet() {
      await holdServerClock(url, NOW);
      const shop = await newShop(store, { quantity: 2, reserved: 0, held: false });
      const { workspaceId, petId } = shop;
      const place = (expiresAt: number) =>
        store.transact((tx) =>
          placeIn(tx, workspaceId, { petId, quantity: 1, complete: false, expiresAt }, why),
        );
      const due = await place(NOW);
      const held = await place(NOW + 1);
      return { ...shop, due, held };
    }

    const openOrders = async (workspaceId: number) => {
      const filter = { state: ['open'] } as const;
      const page = { limit: 9, sort: 'id' } as const;
      const { items } = await store.read.orders.list(workspaceId, filter, page);
      return items.map(({ id }) => id);
    };

    it('ends what is due by the clock of the server, no millisecond early and none late', async () => {
      const { workspaceId, due, held } = await heldPet();
      const onFailure = (err: unknown) => expect.fail(String(err));
      const sweep = new ExpirySweep({ clock, onChange: () => undefined, onFailure });
      await holdServerClock(url, NOW - 1);
      await sweep.sweep(store);
      expect(await openOrders(workspaceId)).toEqual([due, held]);
      await holdServerClock(url, NOW);
      await sweep.sweep(store);
      expect(await openOrders(workspaceId)).toEqual([held]);
      await holdServerClock(url, NOW + 1);
      await sweep.sweep(store);
      expect(await openOrders(workspaceId)).toEqual([]);
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

    it('makes a webhook that is due at once', async () => {
      const { id: _, revision: __, ...like } = await newWebhook(store);
      const created = { ...like, createdAt: clock.now() };
      const { id } = await store.transact((tx) => tx.webhooks.create(created, 'sealed'));
      const due = await store.read.deliveries.due({ now: 0, limit: 10, isFailing: false });
      expect(due.map((webhook) => webhook.id)).toContain(id);
    });
  },
);

it('takes the clock of the server for the time of all nodes', async () => {
  const url = await createDatabase();
  await migratePostgres(url);
  const text =
    'SELECT shared_now(0) = CAST(extract(epoch FROM statement_timestamp()) * 1000 AS BIGINT) AS "isOurs"';
  const { rows } = await onDatabase(url, (client) => client.query(text));
  expect(rows).toEqual([{ isOurs: true }]);
});
