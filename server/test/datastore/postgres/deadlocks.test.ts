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
  /** The quantities are those of every other pet. */
  async function newPets(store: PostgresDatastore, quantities: readonly [number, number]) {
    const stockOf = (at: number) => ({ quantity: quantities[at % 2]!, reserved: 0, held: false });
    const { workspaceId, categoryId, petId } = await newShop(store, stockOf(0));
    const petIds = [petId];
    while (petIds.length < PETS) {
      const pet = { name: 'Tom', categoryId, stock: stockOf(petIds.length) };
      petIds.push(await newPet(store, workspaceId, pet));
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
    ['with units for all', [1_000, 1_000]],
    ['with units that only overdue orders hold', [1, 1]],
    ['with every other pet whose units only overdue orders hold', [1_000, 1]],
  ] as const)('never deadlock, %s', async (_, quantities) => {
    const url = await createMigratedDatabase();
    const store = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 20 });
    const { workspaceId, petIds } = await newPets(store, quantities);
    const reversed = petIds.toReversed();
    const lists = [petIds, reversed, petIds.slice(PETS / 2), reversed.slice(PETS / 2), petIds];
    let minutes = 0;
    // Each list goes on as soon as it can, so that one begins while another is about to end overdue orders.
    const clients = lists.map(async (ids) => {
      for (let round = 0; round < ROUNDS; round++) {
        minutes += 1;
        const batch = batchOf(workspaceId, ids, NOW + minutes * MINUTE_MS);
        await store.transact((tx) => placeOrders(tx, batch));
      }
    });
    await Promise.all(clients);
    await store.close();
    expect(await countersOf(url, DEADLOCKS)).toEqual([['0']]);
  });
});
