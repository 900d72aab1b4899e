// Orders have a creation time since version 2. Those from before take it from the ledger when version 3 is applied.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { migratePostgres } from '../../src/datastore/postgres/migrate.ts';
import { migrateSqlite, sqliteDialect } from '../../src/datastore/sqlite/migrate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  createVersionTwo,
  creationTimes,
  readCreationTimes,
  VERSION_THREE,
  versionTwo,
} from './version-two.ts';

describe('an order from before orders had a creation time', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it('has that of its first row in the ledger, on SQLite', () => {
    const file = join(folder.path, 'petstore.db');
    const old = new Database(file);
    old.exec(versionTwo(sqliteDialect));
    old.close();
    expect(migrateSqlite(file)).toContain(VERSION_THREE);
    const db = new Database(file);
    const rows = db.prepare('SELECT id, created_at FROM orders ORDER BY id').raw().all();
    db.close();
    expect(rows).toEqual(creationTimes);
  });

  it('has that of its first row in the ledger, on PostgreSQL, also if later batches name it', async () => {
    const url = await createVersionTwo();
    expect(await migratePostgres(url)).toContain(VERSION_THREE);
    expect(await readCreationTimes(url)).toEqual(creationTimes);
  });
});
