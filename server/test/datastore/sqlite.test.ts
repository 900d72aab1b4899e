import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../src/datastore/sqlite/sqlite-datastore.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Engine } from './fixture.ts';
import { datastoreSuite } from './suite.ts';

datastoreSuite('SQLite', openSqlite);

async function openSqlite(): Promise<Engine> {
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
  return { store, other, openAnother, execute, close };
}
