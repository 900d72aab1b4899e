import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { endOrder } from '../../../src/domain/order.ts';
import { changeReservation } from '../../../src/domain/stock.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { reconcile, reconcileAndRepair } from '../../../src/services/maintenance/reconcile.ts';
import { createDatabase, onDatabase } from '../../support/servers.ts';
import { changeIn, NOW, newShop, placeIn, why } from '../fixture.ts';

const BUYERS = 20;
const ROUNDS = 8;
const nothing = { reserved: [], ledger: [], links: [] };

describe('a repair of PostgreSQL beside a serving node', () => {
  let url: string;
  let serving: PostgresDatastore;
  let command: PostgresDatastore;
  beforeAll(async () => {
    url = await createDatabase();
    await migratePostgres(url);
    // Its orders wait for the repair, and for the machine, as long as it takes.
    serving = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
    command = new PostgresDatastore(url, new Coalescer(), {
      timeoutFactor: 60,
      mayScan: true,
    });
  });
  afterAll(async () => {
    await serving?.close();
    await command?.close();
  });

  it('leaves the reserved units equal to the open orders, in every round', async () => {
    const stock = { quantity: 1_000_000, reserved: 0, held: false };
    const { workspaceId, petId } = await newShop(serving, stock);
    let isStopped = false;
    const buy = async () => {
      while (!isStopped) {
        const order = { petId, quantity: 1, complete: false };
        const id = await serving.transact((tx) => placeIn(tx, workspaceId, order, why));
        if (id! % 3 === 0) await cancel(workspaceId, petId, id!);
      }
    };
    const buyers = Array.from({ length: BUYERS }, buy);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        await onDatabase(url, (client) => client.query('UPDATE pets SET reserved = reserved + 7'));
        const { found } = await reconcileAndRepair(command, { now: () => NOW });
        expect(found.reserved).toHaveLength(1);
        expect((await reconcile(command)).found).toEqual(nothing);
      }
    } finally {
      isStopped = true;
      await Promise.all(buyers);
    }
    expect((await reconcile(command)).found).toEqual(nothing);
  });

  function cancel(workspaceId: number, petId: number, id: number): Promise<void> {
    return serving.transact(async (tx) => {
      const order = (await tx.orders.findAndLock(workspaceId, id))!;
      await tx.orders.update(workspaceId, endOrder(order, { state: 'cancelled', at: NOW }));
      const stock = await tx.stock.lock(workspaceId, petId);
      const after = changeReservation({ id: petId, stock }, -1);
      await changeIn(tx, workspaceId, petId, stock, after, {
        ...why,
        cause: 'released',
        orderId: id,
      });
    });
  }
});
