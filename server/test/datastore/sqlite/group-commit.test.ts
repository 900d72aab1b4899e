import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import { openFile } from '../../../src/datastore/sqlite/file.ts';
import { GroupCommit } from '../../../src/datastore/sqlite/group-commit.ts';
import { migrateSqlite } from '../../../src/datastore/sqlite/migrate.ts';
import { WriteTransaction } from '../../../src/datastore/sqlite/write-transaction.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = `${folder.path}/petstore.db`;
const workspace = {
  plan: 'free',
  limits: { perMinute: 60, perDay: 1_000 },
  createdAt: 1_800_000_000_000,
} as const;
let db: Database.Database;
let transaction: WriteTransaction;
let commits: GroupCommit;

beforeAll(() => migrateSqlite(file));
beforeEach(() => {
  db = openFile(file);
  const options = { beforeCommit: () => undefined, makeRoom: () => false };
  transaction = new WriteTransaction(db, options);
  commits = new GroupCommit(transaction, new Coalescer());
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  db.close();
});
afterAll(folder.remove);

const add = (name: string) =>
  commits.transact((tx) => tx.workspaces.create({ ...workspace, name }));
const names = () => db.prepare('SELECT name FROM workspaces ORDER BY id').pluck().all();

it('commits nothing of a group whose transaction has ended before its last unit', async () => {
  const before = names();
  const ending = commits.transact(async () => db.exec('ROLLBACK').name);
  const outcomes = await Promise.allSettled([add('a'), ending, add('b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await add('c');
  expect(names()).toEqual([...before, 'c']);
});

it('commits no change of a part that failed last, although its caller goes on', async () => {
  const before = names();
  await transaction.run(async (tx) => {
    const failing = tx.attempt(async () => {
      await tx.workspaces.create({ ...workspace, name: 'd' });
      throw new Error('undo');
    });
    await failing.catch(() => undefined);
  });
  expect(names()).toEqual(before);
});

/** Collects what the process would end with. */
function catchFatal(fatal: string[]): void {
  const queue = setImmediate;
  vi.stubGlobal('setImmediate', (callback: () => void) =>
    queue(() => {
      try {
        callback();
      } catch (err) {
        fatal.push((err as Error).message);
      }
    }),
  );
}

const ends = 'the database cannot be written any more; restart to recover';

it('rejects what waits, and what comes later, once a flush has failed, and ends the process', async () => {
  const before = names();
  const order: string[] = [];
  catchFatal(order);
  const failure = new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
  let waiting: Promise<unknown> | undefined;
  const failing = commits.transact(async () => {
    waiting = add('a');
    throw new StorageUnavailable(failure);
  });
  await expect(failing).rejects.toMatchObject({ cause: failure });
  await waiting!.catch(() => order.push('what waits is rejected'));
  await expect(add('b')).rejects.toMatchObject({ cause: failure });
  expect(order).toEqual(['what waits is rejected', ends]);
  expect(names()).toEqual(before);
});

it('does not run a group again that could not be rolled back, and ends the process', async () => {
  const before = names();
  const order: string[] = [];
  catchFatal(order);
  vi.spyOn(db, 'exec').mockImplementation((sql) => {
    throw new Database.SqliteError(`${sql} failed`, 'SQLITE_IOERR');
  });
  let runs = 0;
  const failing = commits.transact(async (tx) => {
    runs += 1;
    await tx.workspaces.create({ ...workspace, name: 'e' });
    throw new StorageUnavailable('the storage failed after a change');
  });
  await expect(failing).rejects.toThrow(StorageUnavailable);
  await expect(add('f')).rejects.toThrow(StorageUnavailable);
  expect(runs).toBe(1);
  await expect.poll(() => order).toEqual([ends]);
  db.close();
  db = openFile(file);
  expect(names()).toEqual(before);
});
