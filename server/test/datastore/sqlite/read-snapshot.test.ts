import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateSqlite, SqliteDatastore } from '../../../src/datastore/sqlite/sqlite-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newWorkspace } from '../fixture.ts';

const page = { sort: 'id', limit: 100 } as const;
const folder = temporaryFolder();
const file = `${folder.path}/petstore.db`;
let store: SqliteDatastore;
let outside: Database.Database;
let workspaceId: number;

beforeAll(async () => {
  migrateSqlite(file);
  store = new SqliteDatastore(file, new Coalescer());
  outside = new Database(file);
  outside.pragma('synchronous = OFF');
  workspaceId = await newWorkspace(store);
});
afterAll(async () => {
  outside.close();
  await store.close();
  folder.remove();
});

const count = async () => (await store.read.categories.list(workspaceId, {}, page)).items.length;

it('gives no state from before a change that it has told of', async () => {
  const insert = outside.prepare(
    'INSERT INTO categories (workspace_id, name, name_key) VALUES (?, ?, ?)',
  );
  for (let added = 1; added <= 50; added++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    const before = await count();
    insert.run(workspaceId, `c${added}`, `c${added}`);
    const told = store.foreignChanges();
    const after = await count();
    await new Promise((resolve) => setTimeout(resolve, 2));
    // Either the change was not told of yet, or it is there.
    if (store.foreignChanges() === told) expect([before, after]).toEqual([added - 1, added]);
    expect(await count()).toBe(added);
  }
});

it('shows a commit to whoever reads right after it, also when somebody has read just before', async () => {
  const before = await count();
  for (let added = 1; added <= 40; added++) {
    await store.transact(async (tx) => {
      await tx.categories.create(workspaceId, { name: `d${added}` });
      expect(await count()).toBe(before + added - 1);
    });
    expect(await count()).toBe(before + added);
  }
});
