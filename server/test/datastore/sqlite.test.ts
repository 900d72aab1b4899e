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
  const close = async () => {
    await Promise.all([store.close(), other.close()]);
    folder.remove();
  };
  return { store, other, openAnother, close };
}
