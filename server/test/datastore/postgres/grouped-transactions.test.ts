import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { type CommitFault, PostgresProxy } from '../../support/postgres-proxy.ts';
import { createDatabase, onDatabase } from '../../support/servers.ts';
import { createIn, newShopOf, oneUnit, placeIn, why } from '../fixture.ts';
import { readFeed } from '../suite-events.ts';

const PETS = 6;
const STOCK = 1_000;
const HASTE = 3;
const page = { sort: 'id', limit: 100 } as const;

const narrowest = { reads: 1, groups: 1, writes: 1 };
describe('orders that PostgreSQL is sent together', () => {
  let url: string;
  let proxy: PostgresProxy;
  let store: PostgresDatastore;
  let other: PostgresDatastore;
  /** For the units that are rejected when they take too long. */
  let hasty: PostgresDatastore;
  let workspaceId: number;
  let categoryId: number;
  let petIds: number[];
  beforeAll(async () => {
    url = await createDatabase();
    await migratePostgres(url);
    proxy = await PostgresProxy.start(url);
    store = new PostgresDatastore(proxy.url, new Coalescer(), { timeoutFactor: 10 });
    other = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
    hasty = new PostgresDatastore(proxy.url, new Coalescer(), { timeoutFactor: HASTE });
  });
  beforeEach(async () => {
    const stock = { quantity: STOCK, reserved: 0, held: false };
    ({ workspaceId, categoryId, petIds } = await newShopOf(store, PETS, stock));
  });
  afterAll(async () => {
    await store?.close();
    await other?.close();
    await hasty?.close();
    await proxy?.stop();
  });

  /** The number of the order, or undefined when it was refused. */
  function place(petId: number, quantity = 1, through = store): Promise<number | undefined> {
    const order = { petId, quantity, complete: false };
    return through.transact((tx) => placeIn(tx, workspaceId, order, why));
  }

  async function stockOf(petId: number) {
    const { items } = await store.read.orders.list(workspaceId, { petId }, page);
    const ledger = await store.read.ledger.list(workspaceId, { petId }, page);
    const { stock } = (await store.read.stock.find(workspaceId, petId))!;
    const { reserved } = stock;
    return { orders: items.length, movements: ledger.items.length - 1, reserved };
  }

  const once = { orders: 1, movements: 1, reserved: 1 };
  const never = { orders: 0, movements: 0, reserved: 0 };

  function ask<R>(text: string, values: unknown[] = []): Promise<R[]> {
    return onDatabase(url, async (client) => (await client.query(text, values)).rows as R[]);
  }

  it('share one commit, also those of the same pet', async () => {
    const ids = await Promise.all([...petIds, ...petIds].map((petId) => place(petId)));
    expect(new Set(ids).size).toBe(2 * PETS);
    const text = 'SELECT DISTINCT CAST(xmin AS TEXT) FROM orders WHERE workspace_id = $1';
    expect(await ask(text, [workspaceId])).toHaveLength(1);
    for (const petId of petIds) {
      expect(await stockOf(petId)).toEqual({ orders: 2, movements: 2, reserved: 2 });
    }
  });

  it('share it with new pets, each with its ledger row, and harm none when a category is unknown', async () => {
    const create = (name: string, category = categoryId) =>
      store.transact((tx) =>
        createIn(tx, workspaceId, { name, categoryId: category, stock: oneUnit }, why),
      );
    const created = await Promise.all([
      create('Ann'),
      place(petIds[0]!),
      create('nowhere', 999_999_999),
      create('Ben'),
    ]);
    const [ann, order, nowhere, ben] = created;
    expect([ann, order, nowhere, ben]).toEqual([
      expect.any(Number),
      expect.any(Number),
      undefined,
      expect.any(Number),
    ]);
    const text = `SELECT CAST(xmin AS TEXT) FROM pets WHERE id = ANY ($1)
      UNION SELECT CAST(xmin AS TEXT) FROM movements WHERE pet_id = ANY ($1)
      UNION SELECT CAST(xmin AS TEXT) FROM orders WHERE id = $2`;
    expect(await ask(text, [[ann, ben], order])).toHaveLength(1);
    for (const [id, name] of [
      [ann!, 'Ann'],
      [ben!, 'Ben'],
    ] as const) {
      expect(await store.read.pets.find(workspaceId, id)).toMatchObject({ name, categoryId });
      const { items } = await store.read.ledger.list(workspaceId, { petId: id }, page);
      expect(items).toMatchObject([{ cause: 'created', quantityBefore: 0, quantityAfter: 1 }]);
    }
  });

  it('get the id of their own order, in whatever order they are sent', async () => {
    const shuffled = petIds.toReversed();
    const ids = await Promise.all(shuffled.map((petId, at) => place(petId, at + 1)));
    for (const [at, petId] of shuffled.entries()) {
      const order = await store.read.orders.find(workspaceId, ids[at]!);
      expect(order).toMatchObject({ petId, quantity: at + 1 });
    }
  });

  it('never take more than there is', async () => {
    const [petId] = petIds as [number];
    const ids = await Promise.all(Array.from({ length: 60 }, () => place(petId, STOCK / 20)));
    expect(ids.filter((id) => id !== undefined)).toHaveLength(20);
    expect(await stockOf(petId)).toEqual({ orders: 20, movements: 20, reserved: STOCK });
  });

  it('harm no other when one is refused', async () => {
    const [first, second, third] = petIds as [number, number, number];
    const ids = await Promise.all([place(first), place(second, STOCK + 1), place(third)]);
    expect(ids.map((id) => id !== undefined)).toEqual([true, false, true]);
    expect(await stockOf(first)).toEqual(once);
    expect(await stockOf(second)).toEqual(never);
    expect(await stockOf(third)).toEqual(once);
  });

  it('harm no other when one fails', async () => {
    const [first, second, third] = petIds as [number, number, number];
    const broken = place(second + 0.5);
    const ids = Promise.all([place(first), place(third)]);
    await expect(broken).rejects.toThrow('bigint');
    expect(await ids).toEqual([expect.any(Number), expect.any(Number)]);
    expect(await stockOf(first)).toEqual(once);
    expect(await stockOf(third)).toEqual(once);
  });

  it('do not wait for a locked row that only another of them wants', async () => {
    const [first, locked, third] = petIds as [number, number, number];
    await onDatabase(url, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM pets WHERE id = $1 FOR UPDATE', [locked]);
      let isRejected = false;
      const waiting = place(locked, 1, hasty).finally(() => {
        isRejected = true;
      });
      const rejection = expect(waiting).rejects.toThrow(StorageUnavailable);
      await Promise.all([place(first, 1, hasty), place(third, 1, hasty)]);
      expect(isRejected).toBe(false);
      await rejection;
      await client.query('ROLLBACK');
    });
    expect(await stockOf(first)).toEqual(once);
    expect(await stockOf(locked)).toEqual(never);
    expect(await stockOf(third)).toEqual(once);
  });

  it('lock their pets in the order of their ids, so that two groups never deadlock', async () => {
    const shuffled = [...petIds.slice(3), ...petIds.slice(0, 3).toReversed()];
    const placed = await Promise.all(
      shuffled.map(async (petId) => ({ petId, orderId: (await place(petId))! })),
    );
    const text = 'SELECT DISTINCT CAST(xmin AS TEXT) FROM orders WHERE id = ANY ($1)';
    expect(await ask(text, [placed.map(({ orderId }) => orderId)])).toHaveLength(1);
    // An order gets its id right after its pet is locked.
    const locked = placed.toSorted((a, b) => a.orderId - b.orderId).map(({ petId }) => petId);
    expect(locked).toEqual(petIds.toSorted((a, b) => a - b));
  });

  it.each<CommitFault>(['lose answer', 'lose request', 'delay request'])(
    'are each placed once and reported when the network decides to %s',
    async (fault) => {
      proxy.isForNext = true;
      proxy.fault = fault;
      const ids = await Promise.all(petIds.map((petId) => place(petId)));
      if (fault === 'delay request') expect(await proxy.deliver()).toContain('23505');
      expect(proxy.fault).toBeUndefined();
      for (const [at, petId] of petIds.entries()) {
        expect(await stockOf(petId)).toEqual(once);
        expect(await store.read.orders.find(workspaceId, ids[at]!)).toMatchObject({ petId });
      }
      const events = await readFeed(store, workspaceId);
      const placed = events.filter(({ type }) => type === 'order.placed');
      const orderIds = placed.map(({ data }) => (data.order as { id: number }).id);
      expect(orderIds.toSorted()).toEqual(ids.toSorted());
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    },
  );

  it('fail together when there is no connection for them', async () => {
    const narrow = new PostgresDatastore(proxy.url, new Coalescer(), { connections: narrowest });
    proxy.isSilent = true;
    const outcomes = await Promise.allSettled(petIds.map((petId) => place(petId, 1, narrow)));
    const reasons = outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason);
    expect(reasons[0]).toBeInstanceOf(StorageUnavailable);
    // Had they been tried again one by one, each would have an error of its own.
    expect(new Set(reasons).size).toBe(1);
    proxy.isSilent = false;
    await narrow.close();
    for (const petId of petIds) expect(await stockOf(petId)).toEqual(never);
  });

  it('are rejected, and not sent, when they have waited for too long', async () => {
    await Promise.all(Array.from({ length: 5 }, () => hasty.ping(Date.now())));
    proxy.isSilent = true;
    // As many as may be under way, and some that wait for them.
    const all = Array.from({ length: 70 }, (_, n) => place(petIds[n % PETS]!, 1, hasty));
    const settled = Promise.allSettled(all);
    await pause(1_500 * HASTE);
    proxy.isSilent = false;
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ reason: expect.any(StorageUnavailable) });
    }
    await pause(300);
    for (const petId of petIds) expect(await stockOf(petId)).toEqual(never);
  });

  it('are rejected when a crowd of them waits for a lock', async () => {
    const reasons = new Set<unknown>();
    await onDatabase(url, async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE pets IN EXCLUSIVE MODE');
      const all = Array.from({ length: 900 }, (_, n) => place(petIds[n % PETS]!, 1, hasty));
      for (const outcome of await Promise.allSettled(all)) {
        expect(outcome).toMatchObject({ reason: expect.any(StorageUnavailable) });
        if (outcome.status === 'rejected') reasons.add(outcome.reason.cause);
      }
      await client.query('ROLLBACK');
    });
    expect(reasons).toContain('waited for too long');
    for (const petId of petIds) expect(await stockOf(petId)).toEqual(never);
    expect(await place(petIds[0]!, 1, hasty)).toBeDefined();
  });

  it('are rejected when the server falls silent in the middle of an error', async () => {
    const [first, second] = petIds as [number, number];
    await Promise.all(Array.from({ length: 5 }, () => hasty.ping(Date.now())));
    proxy.isForNext = true;
    proxy.fault = 'fall silent before the last word';
    const both = [place(first, 1, hasty), place(second + 0.5, 1, hasty)];
    for (const { status } of await Promise.allSettled(both)) expect(status).toBe('rejected');
    proxy.isSilent = false;
    await hasty.ping(Date.now());
    expect(await stockOf(first)).toEqual(never);
  });

  it('leave no markers behind but those of the last commits', async () => {
    const [petId] = petIds as [number];
    for (let round = 0; round < 100; round++) {
      await Promise.all(Array.from({ length: 1 + (round % 16) }, () => place(petId, 1, other)));
    }
    const [{ count }] = (await ask('SELECT count(*)::int FROM commit_marks')) as [
      { count: number },
    ];
    expect(count).toBeLessThan(200);
    const old = `INSERT INTO commit_marks (connection, unit, is_committed, at) VALUES ('gone', 1, 1, 0)`;
    await ask(old);
    await store.tidy();
    expect(await ask(`SELECT 1 FROM commit_marks WHERE connection = 'gone'`)).toEqual([]);
  });
});
