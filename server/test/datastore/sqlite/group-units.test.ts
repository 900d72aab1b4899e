import { afterAll, beforeAll, expect, it } from 'vitest';
import { dryRun, type Transaction } from '../../../src/datastore/datastore.ts';
import { migrateSqlite } from '../../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../../src/datastore/sqlite/sqlite-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newWorkspace, Undo } from '../fixture.ts';

const page = { sort: 'id', limit: 100 } as const;
const folder = temporaryFolder();
let store: SqliteDatastore;
let workspaceId: number;

beforeAll(async () => {
  const file = `${folder.path}/petstore.db`;
  migrateSqlite(file);
  store = new SqliteDatastore(file, new Coalescer());
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const addCategory = (name: string) => (tx: Transaction) =>
  tx.categories.create(workspaceId, { name });

/** Runs units `a` and `b` in one group with the one between them. Returns which units ran, in this order. */
async function groupWith(between: (runs: string[]) => Promise<unknown>): Promise<string> {
  workspaceId = await newWorkspace(store);
  const runs: string[] = [];
  const unit = (name: string) =>
    store.transact((tx) => {
      runs.push(name);
      return addCategory(name)(tx);
    });
  await Promise.allSettled([unit('a'), between(runs), unit('b')]);
  const { items } = await store.read.categories.list(workspaceId, {}, page);
  expect(items.map(({ name }) => name)).toEqual(['a', 'b']);
  return runs.join(' ');
}

it('runs the units of others once when a dry run shares their commit', async () => {
  const runs = await groupWith((ran) =>
    dryRun(store, async (tx) => {
      ran.push('dry run');
      await addCategory('c')(tx);
    }),
  );
  expect(runs).toBe('a dry run b');
});

it('runs and keeps the units of others when a table refuses what a unit writes', async () => {
  const runs = await groupWith((ran) => {
    const refused = store.transact(async (tx) => {
      ran.push('refused');
      await tx.usage.addMinute(workspaceId, { minute: 1.5, requests: 1, refused: 0 });
    });
    return expect(refused).rejects.toThrow(/cannot store REAL/);
  });
  expect(runs).toBe('a refused b');
});

it('runs the units of others once when a unit fails after a change', async () => {
  const runs = await groupWith((ran) =>
    store.transact(async (tx) => {
      ran.push('failing');
      await addCategory('c')(tx);
      throw new Undo();
    }),
  );
  expect(runs).toBe('a failing b');
});
