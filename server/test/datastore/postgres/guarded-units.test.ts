import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/datastore/datastore.ts';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { type CommitFault, PostgresProxy } from '../../support/postgres-proxy.ts';
import { createDatabase, onDatabase } from '../../support/servers.ts';
import { createIn, newShopOf, placeIn, Undo, why } from '../fixture.ts';
import { type KeyedRun, runKeyed } from './keyed.ts';
import { untilLockIsAwaited } from './locks.ts';

const PETS = 4;
const STOCK = 100;
const HASTE = 3;
/** Longer than `hasty` lets a unit take. */
const TOO_LONG_MS = 2_500 * HASTE;

describe('orders under idempotency keys that PostgreSQL is sent together', () => {
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

  const orderOf = (petId: number, quantity = 1) => ({ petId, quantity, complete: false });

  async function place(tx: Transaction, petId: number, quantity = 1): Promise<string> {
    const id = await placeIn(tx, workspaceId, orderOf(petId, quantity), why);
    return id === undefined ? 'refused' : `order ${id}`;
  }

  type Work = KeyedRun['work'];
  const run = (key: string, work: Work, through = store) =>
    runKeyed(through, { workspaceId, key, work });
  /** One order of each pet, under a key that is named after it. */
  const placeAll = (through = store) =>
    petIds.map((petId) => run(`pet ${petId}`, (tx) => place(tx, petId), through));

  function ask<R>(text: string, values: unknown[] = [workspaceId]): Promise<R[]> {
    return onDatabase(url, async (client) => (await client.query(text, values)).rows as R[]);
  }

  const answers = () =>
    ask<{ key: string; status: string; body: string }>(
      'SELECT key, status, body FROM idempotency WHERE workspace_id = $1 ORDER BY key',
    );
  const orders = () =>
    ask<{ id: string; pet_id: string }>(
      'SELECT id, pet_id FROM orders WHERE workspace_id = $1 ORDER BY pet_id',
    );

  async function deleteAll() {
    await ask('DELETE FROM idempotency WHERE workspace_id = $1');
    await ask('DELETE FROM orders WHERE workspace_id = $1');
  }

  /** Each pet was ordered once, and the answer under its key names that order. */
  async function expectEachOnce(wanted = petIds) {
    const placed = await orders();
    expect(placed.map(({ pet_id }) => Number(pet_id))).toEqual(wanted);
    const stored = await answers();
    for (const { id, pet_id } of placed) {
      expect(stored).toContainEqual({ key: `pet ${pet_id}`, status: '201', body: `order ${id}` });
    }
  }

  it('share one commit with their answers, in two round trips', async () => {
    // The first group opens the connection.
    await Promise.all(placeAll());
    await deleteAll();
    const before = proxy.batches;
    const runs = await Promise.all(placeAll());
    expect(proxy.batches - before).toBe(2);
    expect(runs.map(({ runs }) => runs)).toEqual(petIds.map(() => 1));
    await expectEachOnce();
    const commits = `SELECT CAST(xmin AS TEXT) FROM orders WHERE workspace_id = $1
      UNION SELECT CAST(xmin AS TEXT) FROM idempotency WHERE workspace_id = $1`;
    expect(await ask(commits)).toHaveLength(1);
  });

  it('share it with new pets', async () => {
    const create: Work = async (tx) => {
      const stock = { quantity: 1, reserved: 0, held: false };
      const id = await createIn(tx, workspaceId, { name: 'Ann', categoryId, stock }, why);
      return `pet ${id}`;
    };
    const [{ outcome }] = await Promise.all([run('new pet', create), ...placeAll()]);
    const id = Number(String(outcome).split(' ')[1]);
    expect(await store.read.pets.find(workspaceId, id)).toMatchObject({ name: 'Ann' });
    expect(await answers()).toContainEqual({ key: 'new pet', status: '201', body: outcome });
    await expectEachOnce();
  });

  it('harm no other when a key was used before', async () => {
    const [first] = petIds as [number];
    const used = await run(`pet ${first}`, (tx) => place(tx, first), other);
    const [again, ...others] = await Promise.all(placeAll());
    expect(again!.outcome).toMatchObject({ status: 201, body: used.outcome });
    expect(others.map(({ runs }) => runs)).toEqual([1, 1, 1]);
    await expectEachOnce();
  });

  it('harm no other when one is refused, and store its refusal', async () => {
    const [first, ...rest] = petIds as [number, ...number[]];
    const refused = run('too many', (tx) => place(tx, first, STOCK + 1));
    const placed = rest.map((petId) => run(`pet ${petId}`, (tx) => place(tx, petId)));
    expect((await refused).outcome).toBe('refused');
    await Promise.all(placed);
    expect(await answers()).toContainEqual({ key: 'too many', status: '201', body: 'refused' });
    await expectEachOnce(rest);
  });

  it('harm no other when the work of one fails after its statement, and keep nothing of it', async () => {
    const [first] = petIds as [number];
    const failing = run('failing', async (tx) => {
      await place(tx, first);
      throw new Undo();
    });
    const placed = Promise.all(placeAll());
    await expect(failing).rejects.toThrow(Undo);
    await placed;
    await expectEachOnce();
    expect((await answers()).map(({ key }) => key)).not.toContain('failing');
  });

  it('harm no other when a part of one is undone, and store the answer of the rest', async () => {
    const [first] = petIds as [number];
    const undone = run('undone', async (tx) => {
      const part = tx.attempt(async () => {
        await place(tx, first);
        throw new Undo();
      });
      return part.catch(() => 'undone');
    });
    await Promise.all([undone, ...placeAll()]);
    await expectEachOnce();
    expect(await answers()).toContainEqual({ key: 'undone', status: '201', body: 'undone' });
  });

  it('let one do more than a single statement', async () => {
    const [first, second] = petIds as [number, number];
    const both = run('both', async (tx) => `${await place(tx, first)}, ${await place(tx, second)}`);
    await Promise.all([both, ...placeAll()]);
    const stored = await answers();
    expect(stored).toContainEqual({ key: 'both', status: '201', body: (await both).outcome });
    const placed = (await orders()).map(({ pet_id }) => Number(pet_id));
    expect(placed).toEqual([first, first, second, second, ...petIds.slice(2)]);
  });

  it('let one send statements at the same time', async () => {
    const [first, second] = petIds as [number, number];
    const both = run('both', async (tx) => {
      const [placed, pet] = await Promise.all([
        place(tx, first),
        tx.pets.findAndLock(workspaceId, second),
      ]);
      return `${placed} beside ${pet!.name}`;
    });
    await Promise.all([both, ...placeAll()]);
    const { outcome } = await both;
    expect(outcome).toMatch(/^order \d+ beside Tom$/);
    expect(await answers()).toContainEqual({ key: 'both', status: '201', body: outcome });
    const placed = (await orders()).map(({ pet_id }) => Number(pet_id));
    expect(placed).toEqual([first, ...petIds]);
  });

  /** Places an order and then lets another node place one under the same key, the first time it runs. */
  function overtaken(key: string, petId: number): Work {
    let isFirst = true;
    return async (tx) => {
      const placed = await place(tx, petId);
      if (isFirst) {
        isFirst = false;
        await run(key, async () => 'of the other node', other);
      }
      return placed;
    };
  }

  it('harm no other when a key is taken meanwhile', async () => {
    const [first] = petIds as [number];
    const [late, ...others] = await Promise.all([
      run('taken', overtaken('taken', first)),
      ...placeAll(),
    ]);
    expect(late.outcome).toMatchObject({ body: 'of the other node' });
    expect(others.map(({ runs }) => runs)).toEqual([2, 2, 2, 2]);
    await expectEachOnce();
  });

  it('are answered when the server falls silent while their group fails', async () => {
    const [first] = petIds as [number];
    await Promise.all(placeAll(hasty));
    await deleteAll();
    proxy.fault = 'fall silent before the last word';
    const late = run('taken', overtaken('taken', first), hasty);
    const settled = await Promise.allSettled([late, ...placeAll(hasty)]);
    for (const { status } of settled) expect(status).toBe('rejected');
    proxy.isSilent = false;
    await Promise.all(placeAll(hasty));
    await expectEachOnce();
  });

  it('harm no other when one does not finish', async () => {
    const [first] = petIds as [number];
    const work: Work = async (tx) => {
      const placed = await place(tx, first);
      await pause(TOO_LONG_MS);
      return placed;
    };
    const slowEnded = run('slow', work, hasty).catch((err: unknown) => err);
    await Promise.all(placeAll(hasty));
    await expectEachOnce();
    expect(await slowEnded).toBeInstanceOf(StorageUnavailable);
    await expectEachOnce();
    expect((await answers()).map(({ key }) => key)).not.toContain('slow');
  });

  it('do not wait for a locked row that only another of them wants', async () => {
    const [locked, ...rest] = petIds as [number, ...number[]];
    await onDatabase(url, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM pets WHERE id = $1 FOR UPDATE', [locked]);
      const [waiting, ...placed] = placeAll();
      await Promise.all(placed);
      await expectEachOnce(rest);
      await client.query('ROLLBACK');
      await waiting;
    });
    await expectEachOnce();
  });

  it('take effect once when two nodes are sent the same at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const runs = await Promise.all([...placeAll(), ...placeAll(other), ...placeAll(other)]);
      expect(runs).toHaveLength(3 * PETS);
      await expectEachOnce();
      await deleteAll();
    }
  });

  it.each<CommitFault>(['lose answer', 'lose request', 'delay request'])(
    'are each placed once, with their answers, when the network decides to %s',
    async (fault) => {
      proxy.fault = fault;
      const running = Promise.all(placeAll());
      if (fault === 'delay request') {
        // The first run still holds its rows on the server, and the second waits for them.
        await untilLockIsAwaited(url);
        expect(await proxy.deliver()).toContain('23505');
      }
      const runs = await running;
      expect(proxy.fault).toBeUndefined();
      await expectEachOnce();
      const again = await Promise.all(placeAll());
      expect(again.map(({ outcome }) => (outcome as { body: string }).body)).toEqual(
        runs.map(({ outcome }) => outcome),
      );
    },
  );

  it('are placed again when their connection is lost before their statements are done', async () => {
    proxy.isForNext = true;
    proxy.fault = 'lose request';
    await Promise.all(placeAll());
    expect(proxy.fault).toBeUndefined();
    await expectEachOnce();
  });
});
