import { migratePostgres } from '../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { createDatabase, onDatabase, useNodeClock } from '../support/servers.ts';
import { startPgBouncer } from '../support/topologies.ts';
import type { Engine } from './fixture.ts';
import { datastoreSuite } from './suite.ts';

datastoreSuite('PostgreSQL', () => openPostgres());
datastoreSuite('PostgreSQL behind PgBouncer, transaction pooling', () =>
  openBehindPgBouncer('transaction'),
);
// With session pooling a connection is one of PostgreSQL, so the suite says little more than the first.
if (process.env.THOROUGH === '1') {
  datastoreSuite('PostgreSQL behind PgBouncer, session pooling', () =>
    openBehindPgBouncer('session'),
  );
}

async function openPostgres(): Promise<Engine> {
  const url = await createDatabase();
  await migratePostgres(url);
  return openOn(url, url, 'session', async () => undefined);
}

async function openBehindPgBouncer(pooling: 'session' | 'transaction'): Promise<Engine> {
  const direct = await createDatabase();
  const bouncer = await startPgBouncer(direct, pooling);
  await migratePostgres(bouncer.url, { pooling });
  return openOn(bouncer.url, direct, pooling, () => bouncer.stop());
}

/** `direct` leads to the server, for what a test does beside the service. */
async function openOn(
  url: string,
  direct: string,
  pooling: 'session' | 'transaction',
  stop: () => Promise<void>,
): Promise<Engine> {
  await useNodeClock(direct);
  // The suite is about what happens, not about deadlines.
  const options = { timeoutFactor: 10, pooling };
  const openAnother = () => new PostgresDatastore(url, new Coalescer(), options);
  const [store, other] = [openAnother(), openAnother()];
  const execute = (sql: string) => onDatabase(direct, (client) => client.query(sql));
  const close = async () => {
    await Promise.all([store.close(), other.close()]);
    await stop();
  };
  return { store, other, openAnother, execute, close };
}
