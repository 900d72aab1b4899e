// An address that comes to lead to a standby: of the server, or of a pooler that keeps the connections of its clients.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { testApp } from '../../support/app.ts';
import { PostgresProxy } from '../../support/postgres-proxy.ts';
import { onDatabase, useNodeClock } from '../../support/servers.ts';
import {
  type Pair,
  promote,
  startPair,
  startPgBouncer,
  startStandby,
  stopPair,
} from '../../support/topologies.ts';
import { newWorkspace } from '../fixture.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
  await migratePostgres(pair.primary.url);
});
afterAll(() => stopPair(pair));

async function newProxy(url = pair.primary.url): Promise<PostgresProxy> {
  const proxy = await PostgresProxy.start(url);
  onTestFinished(() => proxy.stop());
  return proxy;
}

function open(url: string, pooling: 'session' | 'transaction' = 'session') {
  const store = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10, pooling });
  onTestFinished(() => store.close());
  return store;
}

describe.each(['session', 'transaction'] as const)('PgBouncer with %s pooling', (pooling) => {
  it('nothing is read through it from a standby that it leads to later', async () => {
    const proxy = await newProxy();
    const bouncer = await startPgBouncer(proxy.url, pooling);
    onTestFinished(() => bouncer.stop());
    const { primary, standby } = pair;
    const store = open(bouncer.url, pooling);
    const workspaceId = await newWorkspace(store);
    expect(await store.read.workspaces.find(workspaceId)).toMatchObject({ name: 'shop' });
    // The standby has it, so a read that reached it would be answered.
    const text = 'SELECT name FROM workspaces WHERE id = $1';
    await expect
      .poll(() => onDatabase(standby.url, async (db) => (await db.query(text, [workspaceId])).rows))
      .toHaveLength(1);
    proxy.leadTo(standby.url);
    for (let round = 0; round < 3; round += 1) {
      await expect(store.read.workspaces.find(workspaceId)).rejects.toThrow();
      await expect(store.ping(Date.now())).rejects.toThrow();
      await expect(newWorkspace(store)).rejects.toThrow();
    }
    proxy.leadTo(primary.url);
    await expect
      .poll(() => store.read.workspaces.find(workspaceId).catch(() => undefined))
      .toMatchObject({ name: 'shop' });
  });
});

it.each(['session', 'transaction'] as const)(
  'a standby that is promoted behind PgBouncer with %s pooling is used, although PgBouncer says what it heard before',
  async (pooling) => {
    const promoted = await startStandby(pair.primary);
    onTestFinished(() => promoted.stop());
    const bouncer = await startPgBouncer(promoted.url, pooling);
    onTestFinished(() => bouncer.stop());
    const store = open(bouncer.url, pooling);
    await expect(store.ping(Date.now())).rejects.toThrow('in recovery');
    await promote(promoted);
    await expect
      .poll(() => newWorkspace(store).catch((err: unknown) => String(err)), { timeout: 60_000 })
      .toEqual(expect.any(Number));
  },
);

it('a node answers 503 meanwhile, and /readyz says that there is no primary', async () => {
  await onDatabase(pair.primary.url, (db) => db.query('CREATE DATABASE app'));
  const url = pair.primary.url.replace(/postgres$/, 'app');
  await migratePostgres(url);
  await useNodeClock(url);
  const proxy = await newProxy(url);
  const environment = { PETSTORE_DATABASE_URL: proxy.url };
  const { call } = await testApp({ engine: 'postgres', environment });
  const statusOf = async (path: string) => (await call('GET', path)).status;
  expect(await statusOf('/v1/pets')).toBe(200);
  expect(await statusOf('/readyz')).toBe(200);
  // The standby has the key, so a read that reached it would be answered.
  const copy = pair.standby.url.replace(/postgres$/, 'app');
  await expect
    .poll(() => onDatabase(copy, (db) => db.query('SELECT * FROM api_keys')).catch(() => undefined))
    .toHaveProperty('rowCount', 1);
  proxy.leadTo(copy);
  await expect.poll(() => statusOf('/readyz')).toBe(503);
  expect(await statusOf('/v1/pets')).toBe(503);
  const { status, body } = await call('GET', '/readyz?verbose');
  expect(status).toBe(503);
  expect(body.status).toBe('unavailable');
  expect(body.checks[0]).toMatchObject({ name: 'database', ok: false });
  expect(body.checks[0].action).toContain('no primary answers');
  expect(body.checks[0].role).toBeUndefined();
  proxy.leadTo(url);
  await expect.poll(() => statusOf('/readyz')).toBe(200);
  await expect.poll(() => statusOf('/v1/pets')).toBe(200);
});
