import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { type CommitFault, PostgresProxy } from '../../support/postgres-proxy.ts';
import { createDatabase, onDatabase } from '../../support/servers.ts';
import { newShop, newWorkspace, placeIn, why } from '../fixture.ts';
import { readFeed } from '../suite-events.ts';
import { untilLockIsAwaited } from './locks.ts';

const page = { sort: 'id', limit: 100 } as const;

describe('PostgreSQL over connections that break', () => {
  let url: string;
  let proxy: PostgresProxy;
  let store: PostgresDatastore;
  let workspaceId: number;
  beforeAll(async () => {
    url = await createDatabase();
    await migratePostgres(url);
    proxy = await PostgresProxy.start(url);
    store = new PostgresDatastore(proxy.url, new Coalescer(), { timeoutFactor: 10 });
    workspaceId = await newWorkspace(store);
  });
  afterAll(async () => {
    await store?.close();
    await proxy?.stop();
  });

  /** Creates two categories and returns how often the unit ran and how many of them exist. */
  async function createDuring(name: string, disturb: (run: number) => Promise<void>) {
    let runs = 0;
    await store.transact(async (tx) => {
      runs += 1;
      await tx.categories.create(workspaceId, { name });
      await disturb(runs);
      await tx.categories.create(workspaceId, { name: `${name} too` });
    });
    const { items } = await store.read.categories.list(workspaceId, { namePrefix: name }, page);
    return { runs, committed: items.length };
  }

  function terminate(states: string): Promise<unknown> {
    return onDatabase(url, (client) =>
      client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'petstore' AND state LIKE $1`,
        [states],
      ),
    );
  }

  it('runs a unit again whose connection is ended before its commit', async () => {
    const outcome = await createDuring('terminated', async (run) => {
      if (run === 1) await terminate('idle in transaction');
    });
    expect(outcome).toEqual({ runs: 2, committed: 2 });
  });

  it('reports storage as unavailable when the connection is terminated again and again', async () => {
    const unit = createDuring('hopeless', async () => {
      await terminate('idle in transaction');
    });
    await expect(unit).rejects.toThrow(StorageUnavailable);
    const filter = { namePrefix: 'hopeless' };
    expect((await store.read.categories.list(workspaceId, filter, page)).items).toEqual([]);
  });

  it('closes connections whose server says that it was demoted, and reads on over others', async () => {
    await store.ping(Date.now());
    expect(proxy.connections).toBeGreaterThan(0);
    proxy.demote();
    await expect.poll(() => proxy.connections).toBe(0);
    expect((await store.read.workspaces.find(workspaceId))!.id).toBe(workspaceId);
  });

  it('reads on when idle connections were ended', async () => {
    await Promise.all(Array.from({ length: 5 }, () => store.ping(Date.now())));
    await terminate('idle');
    const reads = Array.from({ length: 20 }, () => store.read.workspaces.find(workspaceId));
    for (const workspace of await Promise.all(reads)) expect(workspace!.id).toBe(workspaceId);
  });

  it('reads on although one connection after the other turns out to be dead', async () => {
    await Promise.all(Array.from({ length: 5 }, () => store.ping(Date.now())));
    proxy.isForNext = true;
    proxy.times = 3;
    proxy.fault = 'lose request';
    expect((await store.read.workspaces.find(workspaceId))!.id).toBe(workspaceId);
    expect(proxy.fault).toBeUndefined();
  });

  it('resolves reads whose results arrived before the connection was lost', async () => {
    await Promise.all(Array.from({ length: 5 }, () => store.ping(Date.now())));
    proxy.isForNext = true;
    proxy.fault = 'lose last word';
    const reads = Array.from({ length: 3 }, () => store.read.workspaces.find(workspaceId));
    for (const workspace of await Promise.all(reads)) expect(workspace!.id).toBe(workspaceId);
    expect(proxy.fault).toBeUndefined();
    await store.ping(Date.now());
  });

  it('finds that a commit took place whose answer was lost, and does not repeat it', async () => {
    const outcome = await createDuring('answer lost', async () => {
      proxy.fault = 'lose answer';
    });
    expect(outcome).toEqual({ runs: 1, committed: 2 });
  });

  it('finds that a commit never arrived, and runs the unit again', async () => {
    const outcome = await createDuring('request lost', async (run) => {
      if (run === 1) proxy.fault = 'lose request';
    });
    expect(outcome).toEqual({ runs: 2, committed: 2 });
  });

  it('prevents a commit that arrives after it was found not to have taken place', async () => {
    const outcome = createDuring('late', async (run) => {
      if (run === 1) proxy.fault = 'delay request';
    });
    // The first run still holds its rows on the server, and the second waits for them.
    await untilLockIsAwaited(url);
    const answer = await proxy.deliver();
    expect(await outcome).toEqual({ runs: 2, committed: 2 });
    expect(answer).toContain('23505');
  });

  describe('an order, which is a transaction by itself', () => {
    let shopId: number;
    let petId: number;
    beforeAll(async () => {
      const stock = { quantity: 100, reserved: 0, held: false };
      ({ workspaceId: shopId, petId } = await newShop(store, stock));
    });

    /** Places an order and returns how often the unit ran, whether the returned id exists, and what was added. */
    async function placeDuring(fault: CommitFault | undefined) {
      let runs = 0;
      const order = { petId, quantity: 1, complete: false };
      // The fault is for the order, not for the opening of a connection.
      await store.transact((tx) => placeIn(tx, shopId, order, why));
      const before = await counts();
      proxy.isForNext = true;
      proxy.fault = fault;
      const id = await store.transact(async (tx) => {
        runs += 1;
        return placeIn(tx, shopId, order, why);
      });
      const after = await counts();
      const isFound = (await store.read.orders.find(shopId, id!)) !== undefined;
      return { runs, isFound, placed: after.map((count, at) => count - before[at]!) };
    }

    /** Orders, ledger rows, reserved units and events. */
    async function counts(): Promise<number[]> {
      const { items } = await store.read.orders.list(shopId, { petId }, page);
      const ledger = await store.read.ledger.list(shopId, { petId }, page);
      const { stock } = (await store.read.stock.find(shopId, petId))!;
      const events = await readFeed(store, shopId);
      return [items.length, ledger.items.length, stock.reserved, events.length];
    }

    it('is placed once where nothing breaks', async () => {
      expect(await placeDuring(undefined)).toEqual({
        runs: 1,
        isFound: true,
        placed: [1, 1, 1, 1],
      });
    });

    it('is found when its answer was lost, and its id is returned', async () => {
      const outcome = await placeDuring('lose answer');
      expect(outcome).toEqual({ runs: 1, isFound: true, placed: [1, 1, 1, 1] });
    });

    it('is placed again when it never arrived', async () => {
      const outcome = await placeDuring('lose request');
      expect(outcome).toEqual({ runs: 2, isFound: true, placed: [1, 1, 1, 1] });
    });

    it('is not placed twice when it arrives late', async () => {
      const outcome = await placeDuring('delay request');
      expect(outcome).toEqual({ runs: 2, isFound: true, placed: [1, 1, 1, 1] });
      const before = await counts();
      expect(await proxy.deliver()).toContain('23505');
      expect(await counts()).toEqual(before);
    });

    it('is the last thing that its unit does', async () => {
      const order = { petId, quantity: 1, complete: false };
      const unit = store.transact(async (tx) => {
        await placeIn(tx, shopId, order, why);
        await tx.pets.find(shopId, petId);
      });
      await expect(unit).rejects.toThrow('is committed');
    });

    it('is undone with the attempt that it is part of', async () => {
      const before = await counts();
      await store.transact(async (tx) => {
        const attempt = tx.attempt(async () => {
          await placeIn(tx, shopId, { petId, quantity: 1, complete: false }, why);
          throw new Error('undo the attempt');
        });
        await expect(attempt).rejects.toThrow('undo the attempt');
      });
      expect(await counts()).toEqual(before);
    });

    it('is one of several changes where its unit has changed something before', async () => {
      const before = await counts();
      const order = { petId, quantity: 1, complete: false };
      const unit = store.transact(async (tx) => {
        await tx.categories.create(shopId, { name: 'undone' });
        await placeIn(tx, shopId, order, why);
        throw new Error('undo all of it');
      });
      await expect(unit).rejects.toThrow('undo all of it');
      expect(await counts()).toEqual(before);
    });
  });

  it('rejects every call while the network swallows everything, and recovers', async () => {
    const hasty = new PostgresDatastore(proxy.url, new Coalescer(), { timeoutFactor: 3 });
    await Promise.all(Array.from({ length: 5 }, () => hasty.ping(Date.now())));
    proxy.isSilent = true;
    const asks = [
      () => hasty.ping(Date.now()),
      () => hasty.read.workspaces.find(workspaceId),
      () => hasty.transact((tx) => tx.categories.create(workspaceId, { name: 'silence' })),
    ];
    for (const outcome of await Promise.allSettled([...asks, ...asks].map((ask) => ask()))) {
      expect(outcome).toMatchObject({ reason: expect.any(StorageUnavailable) });
    }
    proxy.isSilent = false;
    await hasty.ping(Date.now());
    const category = await hasty.transact((tx) =>
      tx.categories.create(workspaceId, { name: 'silence' }),
    );
    expect(category).toBeDefined();
    await hasty.close();
  });
});
