// An address that comes to lead to a standby, behind a pooler that keeps the connections of its clients.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { PostgresProxy } from '../../support/postgres-proxy.ts';
import { onDatabase, startPostgres, type TestServer } from '../../support/servers.ts';
import { startPgBouncer, startStandby } from '../../support/topologies.ts';
import { newWorkspace } from '../fixture.ts';

let primary: TestServer;
let standby: TestServer;
beforeAll(async () => {
  primary = await startPostgres({ settings: ['wal_level=replica'] });
  await migratePostgres(primary.url);
  standby = await startStandby(primary);
});
afterAll(async () => {
  await standby?.stop();
  await primary?.stop();
});

async function newProxy(): Promise<PostgresProxy> {
  const proxy = await PostgresProxy.start(primary.url);
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
