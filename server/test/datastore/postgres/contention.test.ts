import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Conflict,
  ConstraintViolation,
  StorageUnavailable,
} from '../../../src/datastore/failures.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresPool } from '../../../src/datastore/postgres/pool.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { PrimaryServer } from '../../../src/datastore/postgres/primary.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { createDatabase, onDatabase } from '../../support/servers.ts';
import {
  changeIn,
  newCategory,
  newPet,
  newShop,
  newWorkspace,
  oneUnit,
  takeOne,
  why,
} from '../fixture.ts';
import { untilLockIsAwaited } from './locks.ts';

const placeOf = (url: string) => ({ primary: new PrimaryServer(url), pooling: 'session' as const });

const page = { sort: 'id', limit: 100 } as const;

/** An insertion into the categories that ends as soon as the lock is free, even if it inserts nothing. */
const PAUSE_AFTER_INSERT = `
  CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
  CREATE TRIGGER pause AFTER INSERT ON categories FOR EACH STATEMENT EXECUTE FUNCTION pause()`;

const narrowest = { reads: 1, groups: 1, writes: 1 };
describe('PostgreSQL under contention', () => {
  let url: string;
  let store: PostgresDatastore;
  beforeAll(async () => {
    url = await createDatabase();
    await migratePostgres(url);
    store = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
  });
  afterAll(() => store?.close());

  it('resolves a deadlock of two units by running one of them again', async () => {
    const { workspaceId, categoryId, petId } = await newShop(store);
    const otherId = await newPet(store, workspaceId, { name: 'Tom', categoryId });
    const held = Promise.withResolvers<void>();
    let holders = 0;
    let runs = 0;
    const unit = (first: number, second: number) =>
      store.transact(async (tx) => {
        runs += 1;
        await takeOne(tx, workspaceId, first);
        holders += 1;
        if (holders === 2) held.resolve();
        await held.promise;
        return takeOne(tx, workspaceId, second);
      });
    await Promise.all([unit(petId, otherId), unit(otherId, petId)]);
    expect(runs).toBeGreaterThanOrEqual(3);
    for (const id of [petId, otherId]) {
      expect((await store.read.ledger.list(workspaceId, { petId: id }, page)).items).toHaveLength(
        2,
      );
    }
  });

  it('runs a unit again whose row changed after it was read, and commits it once', async () => {
    const workspaceId = await newWorkspace(store);
    let runs = 0;
    const unit = store.transact(async (tx) => {
      runs += 1;
      await tx.categories.create(workspaceId, { name: `run ${runs}` });
      if (runs <= 3) throw new Conflict('changed');
      return runs;
    });
    expect(await unit).toBe(4);
    const { items } = await store.read.categories.list(workspaceId, {}, page);
    expect(items.map(({ name }) => name)).toEqual(['run 4']);
  });

  it('creates a category that is deleted between the attempt to create it and the search for it', async () => {
    const { workspaceId, categoryId } = await newShop(store);
    const otherId = await newCategory(store, workspaceId, 'Cats');
    let runs = 0;
    const found = await onDatabase(url, async (client) => {
      await client.query(PAUSE_AFTER_INSERT);
      await client.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
      const finding = store.transact((tx) => {
        runs += 1;
        return tx.categories.findOrCreate(workspaceId, 'cats');
      });
      await untilLockIsAwaited(url);
      await client.query(`DELETE FROM categories WHERE id = ${otherId}; COMMIT`);
      await finding.finally(() => client.query('DROP FUNCTION pause CASCADE'));
      return finding;
    });
    expect(runs).toBe(2);
    expect(found.isNew).toBe(true);
    const { items } = await store.read.categories.list(workspaceId, {}, page);
    expect(items.map(({ id }) => id)).toEqual([categoryId, found.id]);
  });

  it('gives up on a unit that never succeeds, and changes nothing', async () => {
    const workspaceId = await newWorkspace(store);
    let runs = 0;
    const unit = store.transact(async (tx) => {
      runs += 1;
      await tx.categories.create(workspaceId, { name: 'Cats' });
      throw new Conflict('changed');
    });
    await expect(unit).rejects.toThrow(StorageUnavailable);
    expect(runs).toBe(4);
    expect((await store.read.categories.list(workspaceId, {}, page)).items).toEqual([]);
  });

  it('never reports a unit as committed that ignored a failed statement', async () => {
    const { workspaceId, petId } = await newShop(store);
    const broken = { quantity: 0, reserved: 1, held: false };
    const unit = store.transact(async (tx) => {
      await tx.categories.create(workspaceId, { name: 'Cats' });
      const change = changeIn(tx, workspaceId, petId, oneUnit, broken, { ...why, cause: 'sold' });
      await change.catch(() => {});
    });
    await expect(unit).rejects.toThrow(ConstraintViolation);
    expect((await store.read.categories.list(workspaceId, {}, page)).items).toHaveLength(1);
  });

  it('does not block an order of a pet that another unit has locked to rename it', async () => {
    const { workspaceId, categoryId, petId } = await newShop(store);
    await store.transact(async (tx) => {
      await tx.pets.findAndLock(workspaceId, petId);
      await tx.categories.findAndLock(workspaceId, categoryId);
      await newPet(store, workspaceId, { name: 'Tom', categoryId });
      const step = { petId, before: oneUnit, after: oneUnit, cause: 'created' } as const;
      await store.transact((other) => other.stock.insertMovements(workspaceId, [step], why.at));
    });
    expect((await store.read.ledger.list(workspaceId, { petId }, page)).items).toHaveLength(2);
  });

  it('rejects a unit whose row stays locked, and runs the next one once it is free', async () => {
    const { workspaceId, petId } = await newShop(store);
    const hasty = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 3 });
    await onDatabase(url, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM pets WHERE id = $1 FOR UPDATE', [petId]);
      const unit = hasty.transact((tx) => takeOne(tx, workspaceId, petId));
      await expect(unit).rejects.toThrow(StorageUnavailable);
      await client.query('ROLLBACK');
    });
    expect(await hasty.transact((tx) => takeOne(tx, workspaceId, petId))).toBe(true);
    await hasty.close();
  });

  it('rejects reads at once when too many wait', async () => {
    const workspaceId = await newWorkspace(store);
    const narrow = new PostgresDatastore(url, new Coalescer(), {
      connections: narrowest,
      timeoutFactor: 10,
    });
    await narrow.ping(Date.now());
    const READS = 20_000;
    let answered = 0;
    const rejections: unknown[] = [];
    const reads = Array.from({ length: READS }, () =>
      narrow.read.workspaces.find(workspaceId).then(
        () => {
          answered += 1;
        },
        (err) => rejections.push(err),
      ),
    );
    for (let tick = 0; tick < 2; tick++) await new Promise(setImmediate);
    expect(rejections.length).toBeGreaterThan(800);
    await Promise.all(reads);
    expect(answered + rejections.length).toBe(READS);
    for (const rejection of rejections) expect(rejection).toBeInstanceOf(StorageUnavailable);
    expect((await narrow.read.workspaces.find(workspaceId))!.id).toBe(workspaceId);
    await narrow.close();
  });

  it('replaces a connection before its prepared statements pile up, and not sooner', async () => {
    const database = await createDatabase();
    const settings = { connections: 1, timeoutFactor: 10 };
    const pool = new PostgresPool({ ...placeOf(database), ...settings });
    const runStatements = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        const command = { text: `SELECT ${n}`, values: [] };
        await pool.use(performance.now() + 10_000, (connection) => connection.send([command]));
      }
    };
    const backend = () =>
      pool.use(performance.now() + 10_000, async (connection) => {
        const command = { text: 'SELECT pg_backend_pid()', values: [] };
        return (await connection.send([command])).rows[0]![0];
      });
    const first = await backend();
    await runStatements(0, 200);
    await runStatements(0, 200);
    expect(await backend()).toBe(first);
    await runStatements(200, 260);
    expect(await backend()).not.toBe(first);
    await pool.close();
  });

  it('throws on a number that is not a safe integer, and goes on', async () => {
    const workspaceId = await newWorkspace(store);
    const set = (value: string) =>
      onDatabase(url, (client) =>
        client.query('UPDATE workspaces SET created_at = $1 WHERE id = $2', [value, workspaceId]),
      );
    await set('9007199254740993');
    await expect(store.read.workspaces.find(workspaceId)).rejects.toThrow(RangeError);
    await set('9007199254740991');
    const workspace = await store.read.workspaces.find(workspaceId);
    expect(workspace!.createdAt).toBe(Number.MAX_SAFE_INTEGER);
  });
});
