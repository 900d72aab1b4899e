import { migratePostgres } from '../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { createDatabase, onDatabase, useNodeClock } from '../support/servers.ts';
import type { Engine } from './fixture.ts';
import { datastoreSuite } from './suite.ts';

datastoreSuite('PostgreSQL', openPostgres);

async function openPostgres(): Promise<Engine> {
  const url = await createDatabase();
  await migratePostgres(url);
  await useNodeClock(url);
  // The suite is about what happens, not about deadlines.
  const openAnother = () => new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
  const [store, other] = [openAnother(), openAnother()];
  const execute = (sql: string) => onDatabase(url, (client) => client.query(sql));
  const close = async () => {
    await Promise.all([store.close(), other.close()]);
  };
  return { store, other, openAnother, execute, close };
}
