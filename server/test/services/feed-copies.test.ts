// The feed in a store that was copied to another database or restored from a backup.

import { afterAll, expect, it } from 'vitest';
import { backupSqlite } from '../../src/datastore/sqlite/backup.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../src/datastore/sqlite/sqlite-datastore.ts';
import { eventId } from '../../src/domain/event-cursor.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { cursorOf, EventFeed } from '../../src/services/events/event-feed.ts';
import { EventHub } from '../../src/services/events/event-hub.ts';
import { copyStore } from '../../src/services/maintenance/copy.ts';
import { openStoreAlone } from '../../src/stores.ts';
import { newWorkspace } from '../datastore/fixture.ts';
import { append, named, namesOf, readFeed } from '../datastore/suite-events.ts';
import { createDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

it('is copied with what is not numbered yet, keeps its ids, and goes on with the next number', async () => {
  await using from = await openStoreAlone(await createDatabase());
  await using to = await openStoreAlone(`${folder.path}/copy`);
  const workspaceId = await newWorkspace(from.store);
  await append(from.store, workspaceId, named('a'), named('b'));
  await readFeed(from.store, workspaceId);
  await append(from.store, workspaceId, named('c'));
  expect(await from.store.read.events.head(workspaceId)).toMatchObject({ hasArrivals: true });
  const { differences } = await copyStore(from.store, to.store, () => undefined);
  expect(differences).toEqual([]);
  const original = await readFeed(from.store, workspaceId);
  const copied = await readFeed(to.store, workspaceId);
  expect(copied.map(eventId)).toEqual(original.map(eventId));
  expect(namesOf(copied)).toEqual(['a', 'b', 'c']);
  await append(to.store, workspaceId, named('d'));
  expect((await readFeed(to.store, workspaceId)).at(-1)).toMatchObject({ sequence: 4 });
});

it('refuses a cursor from after the backup, also when it has grown past that number again', async () => {
  const file = `${folder.path}/petstore.db`;
  migrateSqlite(file);
  const store = new SqliteDatastore(file, new Coalescer());
  const workspaceId = await newWorkspace(store);
  await append(store, workspaceId, named('a'), named('b'));
  const backup = `${folder.path}/backup.db`;
  backupSqlite(file, backup);
  await append(store, workspaceId, named('lost'), named('lost too'));
  const [, before, , after] = await readFeed(store, workspaceId);
  await store.close();
  const restored = new SqliteDatastore(backup, new Coalescer());
  const hub = new EventHub({ store: restored, onFailure: () => undefined });
  const feed = new EventFeed(restored, hub);
  const list = (cursor = cursorOf(after!)) => feed.list({ workspaceId, after: cursor, limit: 9 });
  const unknown = { code: 'cursor_unknown', details: { oldest: '0', latest: '2' } };
  await expect(list()).rejects.toMatchObject(unknown);
  expect((await list(cursorOf(before!))).records).toEqual([]);
  const others = ['c', 'd', 'e'].map((name) => named(name));
  await append(restored, workspaceId, ...others);
  await expect(list()).rejects.toMatchObject({ ...unknown, details: { latest: '5' } });
  expect(namesOf((await list(cursorOf(before!))).records)).toEqual(['c', 'd', 'e']);
  await restored.close();
});
