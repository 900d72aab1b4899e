import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import { migrateSqlite } from '../../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../../src/datastore/sqlite/sqlite-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('fails while the file cannot be read, and succeeds when it can be read again', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const file = join(folder.path, 'petstore.db');
  migrateSqlite(file);
  const bytes = readFileSync(file);
  const store = new SqliteDatastore(file, new Coalescer());
  truncateSync(file, 0);
  await expect(store.ping()).rejects.toThrow(StorageUnavailable);
  writeFileSync(file, bytes);
  await expect(store.ping()).resolves.toBeUndefined();
  await store.close();
});

it('fails while the folder of the file cannot be searched, and succeeds when it can be again', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const data = join(folder.path, 'data');
  mkdirSync(data);
  const file = join(data, 'petstore.db');
  migrateSqlite(file);
  const store = new SqliteDatastore(file, new Coalescer());
  await store.ping();
  renameSync(data, `${data}.moved`);
  // A link to itself: looking at a file behind it fails, other than a file that is missing.
  symlinkSync('data', data);
  await expect(store.ping()).rejects.toThrow(StorageUnavailable);
  rmSync(data);
  renameSync(`${data}.moved`, data);
  await expect(store.ping()).resolves.toBeUndefined();
  await store.close();
});
