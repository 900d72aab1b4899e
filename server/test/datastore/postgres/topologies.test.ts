import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StorageUnavailable, UnusableDatabase } from '../../../src/datastore/failures.ts';
import { control } from '../../../src/datastore/postgres/command-batch.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresPool } from '../../../src/datastore/postgres/pool.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { PrimaryServer } from '../../../src/datastore/postgres/primary.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { PostgresProxy } from '../../support/postgres-proxy.ts';
import { createMigratedDatabase, onDatabase, type TestServer } from '../../support/servers.ts';
import {
  type Pair,
  promote,
  startPair,
  startPgBouncer,
  stopPair,
} from '../../support/topologies.ts';
import { newShop, newWorkspace, placeIn, why } from '../fixture.ts';
import { runKeyed } from './keyed.ts';

const stock = { quantity: 1_000, reserved: 0, held: false };
const order = (petId: number) => ({ petId, quantity: 1, complete: false });
const page = { sort: 'id', limit: 100 } as const;

function open(url: string, pooling: 'session' | 'transaction' = 'session') {
  return new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10, pooling });
}

describe('a primary with a standby', () => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await startPair();
    await migratePostgres(pair.primary.url);
  });
  afterAll(() => stopPair(pair));

  /** With two more, of which one is down and one unknown. */
  const all = ({ standby, primary }: Pair) => {
    const hosts = ['127.0.0.1:1', 'nowhere.invalid', ...[standby, primary].map(hostOf)];
    return `postgres://postgres@${hosts.join(',')}/postgres`;
  };

  it('a start on the standby alone is refused, and says which server it is', async () => {
    const { standby } = pair;
    const starting = migratePostgres(standby.url);
    await expect(starting).rejects.toThrow(UnusableDatabase);
    await expect(starting).rejects.toThrow(`127.0.0.1:${standby.port} is in recovery`);
  });

  it('a start that reaches no primary names every server and why', async () => {
    const standby = hostOf(pair.standby);
    const url = `postgres://postgres@${standby},127.0.0.1:1,nowhere.invalid/postgres`;
    await expect(migratePostgres(url)).rejects.toThrow(
      new RegExp(
        `${standby}: in recovery; 127.0.0.1:1: .*ECONNREFUSED.*; nowhere.invalid:5432: .*ENOTFOUND`,
      ),
    );
  });

  it('reads nothing from a server in recovery', async () => {
    const store = open(pair.standby.url);
    await expect(store.ping(Date.now())).rejects.toThrow('in recovery');
    await expect(store.read.workspaces.find(1)).rejects.toThrow('in recovery');
    await store.close();
  });

  it('goes on with the promoted standby, keeps what it has, and leaves the old primary, which runs on, for good', async () => {
    const { primary, standby } = pair;
    expect(await migratePostgres(all(pair))).toEqual([]);
    const store = open(all(pair));
    const { workspaceId, petId } = await newShop(store, stock);
    const place = () => store.transact((tx) => placeIn(tx, workspaceId, order(petId), why));
    const first = await place();
    expect(store.host).toBe(hostOf(primary));
    // What is acknowledged has reached the standby.
    await expect
      .poll(async () => (await ordersOn(standby, workspaceId)).length, { timeout: 60_000 })
      .toBe(1);
    // Each pool keeps more than one connection to the server that is about to be the old primary.
    await Promise.all(Array.from({ length: 5 }, () => newWorkspace(store)));
    // The old primary runs on, takes itself for the primary still, and nothing fails on it.
    await promote(standby);
    await expect
      .poll(() => place().then(() => store.host), { timeout: 60_000 })
      .toBe(hostOf(standby));
    const left = await rowsOn(primary);
    // One at a time: each would get the next idle connection.
    for (let made = 0; made < 5; made += 1) await newWorkspace(store);
    const second = await place();
    const { items } = await store.read.orders.list(workspaceId, {}, page);
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining([first, second]));
    expect(await rowsOn(primary)).toEqual(left);
    // The promoted one is away, and only the old primary answers.
    await standby.kill();
    await expect(store.read.orders.list(workspaceId, {}, page)).rejects.toThrow();
    await expect(place()).rejects.toThrow('an old primary');
    expect(await rowsOn(primary)).toEqual(left);
    await store.close();
  });

  it('one address that moves to the promoted standby leads away from the old primary, which runs on, for good', async () => {
    const moved = await startPair();
    onTestFinished(() => stopPair(moved));
    const { primary, standby } = moved;
    await migratePostgres(primary.url);
    const address = await PostgresProxy.start(primary.url);
    onTestFinished(() => address.stop());
    const store = open(address.url);
    // Each pool keeps connections to the server that is about to be the old primary.
    await Promise.all(Array.from({ length: 5 }, () => newWorkspace(store)));
    await promote(standby);
    address.leadNextTo(standby.url);
    await expect
      .poll(() => newWorkspace(store).then((id) => nameOn(standby, id)), { timeout: 60_000 })
      .toBe('shop');
    const left = await rowsOn(primary);
    // One at a time: each would get the next idle connection.
    for (let made = 0; made < 5; made += 1) await newWorkspace(store);
    expect(await rowsOn(primary)).toEqual(left);
    address.leadTo(primary.url);
    await expect(newWorkspace(store)).rejects.toThrow('an old primary');
    await expect(store.ping(Date.now())).rejects.toThrow('an old primary');
    expect(await rowsOn(primary)).toEqual(left);
    await store.close();
  });
});

function hostOf({ port }: TestServer): string {
  return `127.0.0.1:${port}`;
}

/** How many rows the tables have to which the test writes. */
function rowsOn(server: TestServer): Promise<unknown> {
  return onDatabase(server.url, async (client) => {
    const text =
      'SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM workspaces) AS workspaces';
    return (await client.query(text)).rows[0];
  });
}

function nameOn(server: TestServer, workspaceId: number): Promise<unknown> {
  return onDatabase(server.url, async (client) => {
    const text = 'SELECT name FROM workspaces WHERE id = $1';
    return (await client.query(text, [workspaceId])).rows[0]?.name;
  });
}

function ordersOn(server: TestServer, workspaceId: number): Promise<unknown[]> {
  return onDatabase(server.url, async (client) => {
    const text = 'SELECT id FROM orders WHERE workspace_id = $1';
    return (await client.query(text, [workspaceId])).rows;
  });
}

describe.each(['session', 'transaction'] as const)('PgBouncer with %s pooling', (pooling) => {
  let bouncer: TestServer;
  beforeAll(async () => {
    bouncer = await startPgBouncer(await createMigratedDatabase(), pooling);
  });
  afterAll(() => bouncer?.stop());

  it('serves reads, writes, groups and keys', async () => {
    expect(await migratePostgres(bouncer.url, { pooling })).toEqual([]);
    const store = open(bouncer.url, pooling);
    const { workspaceId, petId } = await newShop(store, stock);
    const place = () =>
      store.transact((tx) => placeIn(tx, workspaceId, order(petId), why), { workspaceId });
    for (let round = 0; round < 3; round += 1) {
      const ids = await Promise.all(Array.from({ length: 20 }, place));
      expect(new Set(ids).size).toBe(20);
      const work = async (tx: Parameters<Parameters<typeof store.transact>[0]>[0]) =>
        String(await placeIn(tx, workspaceId, order(petId), why));
      const keyed = { workspaceId, key: `key ${round}`, work };
      const { outcome } = await runKeyed(store, keyed);
      expect((await runKeyed(store, keyed)).outcome).toMatchObject({ body: outcome });
    }
    expect((await store.read.orders.list(workspaceId, {}, page)).items).toHaveLength(63);
    await store.close();
  });

  it('reads a snapshot, which does not change while others write', async () => {
    const store = open(bouncer.url, pooling);
    onTestFinished(() => store.close());
    const workspaceId = await newWorkspace(store);
    const snapshot = await store.snapshot();
    expect(await snapshot.read.workspaces.find(workspaceId)).toMatchObject({ name: 'shop' });
    const later = await newWorkspace(store);
    expect(await snapshot.read.workspaces.find(later)).toBeUndefined();
    await snapshot.close();
  });

  it('runs every statement under the timeouts of the node', async () => {
    const primary = new PrimaryServer(bouncer.url);
    const pool = new PostgresPool({ primary, pooling, connections: 2, timeoutFactor: 10 });
    const timeouts = control(
      "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')",
    );
    const deadline = performance.now() + 60_000;
    for (let round = 0; round < 2; round += 1) {
      const { rows } = await pool.use(deadline, (connection) => connection.send([timeouts]));
      expect(rows).toEqual([['14s', '14s']]);
    }
    await pool.close();
  });
});

it('a start that meets transaction pooling without the setting is refused, and names the setting', async () => {
  const bouncer = await startPgBouncer(await createMigratedDatabase(), 'transaction');
  try {
    const starting = migratePostgres(bouncer.url);
    await expect(starting).rejects.toThrow('PETSTORE_DATABASE_POOLING=transaction');
    await expect(starting).rejects.toThrow(UnusableDatabase);
  } finally {
    await bouncer.stop();
  }
});

/** What is asked in the background would take the connection of the server between two transactions. */
function unwatched(url: string): PrimaryServer {
  return Object.assign(new PrimaryServer(url), { watch: () => undefined });
}

it('a connection that turns out to be shared between transactions ends as unavailable, and names the setting', async () => {
  const bouncer = await startPgBouncer(await createMigratedDatabase(), 'transaction');
  const primary = unwatched(bouncer.url);
  const pool = new PostgresPool({ primary, pooling: 'session', connections: 1, timeoutFactor: 10 });
  const read = () =>
    pool.use(performance.now() + 60_000, (connection) =>
      connection.send([{ text: 'SELECT CAST($1 AS TEXT)', values: ['a'] }]),
    );
  try {
    expect((await read()).rows).toEqual([['a']]);
    // Its transaction takes the connection of the server on which the statement is prepared.
    await onDatabase(bouncer.url, async (other) => {
      await other.query('BEGIN');
      const second = read();
      await expect(second).rejects.toThrow(StorageUnavailable);
      await expect(second).rejects.toThrow('PETSTORE_DATABASE_POOLING=transaction');
      await other.query('ROLLBACK');
    });
  } finally {
    await pool.close();
    await bouncer.stop();
  }
});

it('a connection whose settings are dropped between transactions is refused, and says which', async () => {
  const drops = ['server_reset_query_always = 1'];
  const bouncer = await startPgBouncer(await createMigratedDatabase(), 'transaction', drops);
  const primary = unwatched(bouncer.url);
  const pool = new PostgresPool({ primary, pooling: 'session', connections: 1, timeoutFactor: 10 });
  try {
    const using = pool.use(performance.now() + 60_000, async () => undefined);
    await expect(using).rejects.toThrow('the server does not keep statement_timeout');
  } finally {
    await pool.close();
    await bouncer.stop();
  }
});
