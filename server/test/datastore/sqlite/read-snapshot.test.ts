import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateSqlite } from '../../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../../src/datastore/sqlite/sqlite-datastore.ts';
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
/** The coalescer ends a tick in the same phase of the event loop, and was asked first. */
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

function addOutside(name: string): void {
  outside
    .prepare('INSERT INTO categories (workspace_id, name, name_key, words) VALUES (?, ?, ?, ?)')
    .run(workspaceId, name, name, '[]');
}

it('reads one state of the database in a tick, and the newest in the next', async () => {
  const before = await count();
  addOutside('a');
  expect(await count()).toBe(before);
  await nextTick();
  expect(await count()).toBe(before + 1);
});

it('counts the changes of other connections once a tick, and none of its own', async () => {
  const known = store.changes.foreign();
  addOutside('b');
  expect(store.changes.foreign()).toBe(known);
  await nextTick();
  const changed = store.changes.foreign();
  expect(changed).not.toBe(known);
  await store.transact((tx) => tx.categories.create(workspaceId, { name: 'own' }));
  await nextTick();
  expect(store.changes.foreign()).toBe(changed);
});

it('counts all changes, its own and those of other connections', async () => {
  const counts = [store.changes.all()];
  await store.transact((tx) => tx.categories.create(workspaceId, { name: 'counted' }));
  counts.push(store.changes.all());
  await nextTick();
  counts.push(store.changes.all());
  addOutside('counted outside');
  await nextTick();
  counts.push(store.changes.all());
  expect(new Set(counts).size).toBe(3);
  expect(counts[1]).toBe(counts[2]);
});

it('reads no state from before a change that it has counted', async () => {
  await nextTick();
  const before = await count();
  const known = store.changes.foreign();
  await nextTick();
  // The snapshot is opened before the change, the count is asked for after it, in the same tick.
  expect(await count()).toBe(before);
  addOutside('c');
  expect(store.changes.foreign()).not.toBe(known);
  expect(await count()).toBe(before + 1);
});

it('reads its own commit at once, also when it has read in the same tick before', async () => {
  const before = await count();
  for (let added = 1; added <= 40; added++) {
    await store.transact(async (tx) => {
      await tx.categories.create(workspaceId, { name: `d${added}` });
      expect(await count()).toBe(before + added - 1);
    });
    expect(await count()).toBe(before + added);
  }
});
