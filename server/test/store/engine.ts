// A new database on the storage engine that TEST_ENGINE names.

import { afterAll, beforeAll } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { PostgresDatastore } from '../../src/datastore/postgres/postgres-datastore.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../src/datastore/sqlite/sqlite-datastore.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { createMigratedDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Engine {
  name: string;
  /** The share of a long search that it runs; a round trip costs more than a call. */
  share: number;
  open: () => Promise<{ store: Datastore; remove: () => void }>;
}

export const engine: Engine =
  process.env.TEST_ENGINE === 'postgres'
    ? { name: 'PostgreSQL', share: 0.25, open: openPostgres }
    : { name: 'SQLite', share: 1, open: openSqlite };

/** Opens a store before the tests of a block and closes it after them. */
export function opened(): () => Datastore {
  let database: Awaited<ReturnType<Engine['open']>>;
  beforeAll(async () => {
    database = await engine.open();
  });
  afterAll(async () => {
    await database.store.close();
    database.remove();
  });
  return () => database.store;
}

async function openSqlite() {
  const folder = temporaryFolder();
  const file = `${folder.path}/petstore.db`;
  migrateSqlite(file);
  return { store: new SqliteDatastore(file, new Coalescer()), remove: folder.remove };
}

async function openPostgres() {
  const url = await createMigratedDatabase();
  return {
    store: new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 }),
    remove: () => undefined,
  };
}
