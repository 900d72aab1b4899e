// A new database of each engine, with two stores open on it.

import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { migratePostgres } from '../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../src/datastore/postgres/postgres-datastore.ts';
import type { Pooling } from '../../src/datastore/postgres/session.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../src/datastore/sqlite/sqlite-datastore.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import {
  createDatabase,
  createMigratedDatabase,
  onDatabase,
  useNodeClock,
} from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startPgBouncer } from '../support/topologies.ts';
import type { Engine } from './fixture.ts';

export async function openSqlite(): Promise<Engine> {
  const folder = temporaryFolder();
  const file = `${folder.path}/petstore.db`;
  migrateSqlite(file);
  const openAnother = () => new SqliteDatastore(file, new Coalescer());
  const [store, other] = [openAnother(), openAnother()];
  const execute = async (sql: string) => {
    const db = new Database(file);
    db.exec(sql).close();
    // Until the next tick a store reads what it has read before.
    await setImmediate();
  };
  const close = async () => {
    await Promise.all([store.close(), other.close()]);
    folder.remove();
  };
  return { location: file, store, other, openAnother, execute, close };
}

/** `prepare` may change the schema while the store is empty. */
export async function openPostgres(prepare?: (url: string) => Promise<void>): Promise<Engine> {
  const url = await createMigratedDatabase();
  await prepare?.(url);
  return openOn(url, url, 'session', async () => undefined);
}

export async function openBehindPgBouncer(pooling: Pooling): Promise<Engine> {
  const direct = await createDatabase();
  const bouncer = await startPgBouncer(direct, pooling);
  await migratePostgres(bouncer.url, { pooling });
  await useNodeClock(direct);
  return openOn(bouncer.url, direct, pooling, () => bouncer.stop());
}

/** `direct` leads to the server, for what a test does beside the service. */
async function openOn(
  url: string,
  direct: string,
  pooling: Pooling,
  stop: () => Promise<void>,
): Promise<Engine> {
  // The suite is about what happens, not about deadlines.
  const options = { timeoutFactor: 10, pooling };
  const openAnother = () => new PostgresDatastore(url, new Coalescer(), options);
  const [store, other] = [openAnother(), openAnother()];
  const execute = (sql: string) => onDatabase(direct, (client) => client.query(sql));
  const close = async () => {
    await Promise.all([store.close(), other.close()]);
    await stop();
  };
  return { location: direct, store, other, openAnother, execute, close };
}
