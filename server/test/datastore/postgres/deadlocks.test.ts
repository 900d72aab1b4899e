// A deadlock is resolved by running one of the two units again, so no answer shows it. The server counts them.

import { describe, expect, it } from 'vitest';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import type { Caller } from '../../../src/domain/key.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { placeOrders } from '../../../src/services/batches/order-batches.ts';
import { createMigratedDatabase } from '../../support/servers.ts';
import { NOW, newPet, newShop } from '../fixture.ts';
import { countersOf } from './counters.ts';

const PETS = 20;
const ROUNDS = 20;
const DEADLOCKS = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
const MINUTE_MS = 60_000;

describe('batches of orders for the same pets on PostgreSQL', () => {
  async function newPets(store: PostgresDatastore, quantity: number) {
    const stock = { quantity, reserved: 0, held: false };
    const { workspaceId, categoryId, petId } = await newShop(store, stock);
    const petIds = [petId];
    while (petIds.length < PETS) {
      petIds.push(await newPet(store, workspaceId, { name: 'Tom', categoryId, stock }));
    }
    return { workspaceId, petIds };
  }

  /** Orders that expire after a minute. */
  function batchOf(workspaceId: number, petIds: readonly number[], now: number) {
    const order = { quantity: 1, complete: false, expiresAt: now + MINUTE_MS };
    const rows = petIds.map((petId) => ({ petId, ...order }));
    return { caller: { workspaceId, keyId: 'key' } as Caller, rows, isAllOrNothing: false, now };
  }

  it.each([
    ['with units for all', 1_000],
    ['with units that only overdue orders hold', 1],
  ])('never deadlock, %s', async (_, quantity) => {
    const url = await createMigratedDatabase();
    const store = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 20 });
    const { workspaceId, petIds } = await newPets(store, quantity);
    const reversed = petIds.toReversed();
    for (let round = 0; round < ROUNDS; round++) {
      const lists = [petIds, reversed, petIds.slice(PETS / 2), reversed.slice(PETS / 2)];
      const batches = lists.map((ids) => batchOf(workspaceId, ids, NOW + round * MINUTE_MS));
      await Promise.all(batches.map((batch) => store.transact((tx) => placeOrders(tx, batch))));
    }
    await store.close();
    expect(await countersOf(url, DEADLOCKS)).toEqual([['0']]);
  });
});
