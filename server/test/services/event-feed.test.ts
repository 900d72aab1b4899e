import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { migratePostgres } from '../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../src/datastore/postgres/postgres-datastore.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../src/datastore/sqlite/sqlite-datastore.ts';
import { typeFilter } from '../../src/domain/event.ts';
import type { EventCursor } from '../../src/domain/event-cursor.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { EventFeed } from '../../src/services/events/event-feed.ts';
import { EventHub } from '../../src/services/events/event-hub.ts';
import { numberAll } from '../../src/services/events/numbering.ts';
import { deleteOldEvents } from '../../src/services/maintenance/delete-expired.ts';
import { shownEvent } from '../datastore/event-view.ts';
import { NOW, newWorkspace } from '../datastore/fixture.ts';
import { append, named, namesOf } from '../datastore/suite-events.ts';
import { createDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

async function openSqlite(): Promise<() => Datastore> {
  const file = `${folder.path}/petstore.db`;
  migrateSqlite(file);
  return () => new SqliteDatastore(file, new Coalescer());
}

async function openPostgres(): Promise<() => Datastore> {
  const url = await createDatabase();
  await migratePostgres(url);
  return () => new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
}

describe.each([
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
])('the feed on %s', (_, open) => {
  let store: Datastore;
  let other: Datastore;
  let hub: EventHub;
  let feed: EventFeed;
  beforeAll(async () => {
    const openAnother = await open();
    store = openAnother();
    other = openAnother();
    let isOpen = true;
    const onFailure = (err: unknown) => {
      // A poll may be on its way when the store closes.
      if (isOpen) throw err;
    };
    hub = new EventHub({ store, onFailure, pollMs: 5 });
    feed = new EventFeed(store, hub);
    return async () => {
      isOpen = false;
      hub.close();
      await store.close();
      await other.close();
    };
  });

  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const newFeed = async (count: number) => {
    const workspaceId = await newWorkspace(store);
    await append(store, workspaceId, ...numbers(1, count).map((name) => named(name)));
    return workspaceId;
  };

  it('is read page by page to its end, and from there on', async () => {
    const workspaceId = await newFeed(5);
    const first = await feed.list({ workspaceId, limit: 2 });
    expect(namesOf(first.records)).toEqual([1, 2]);
    expect(first).toMatchObject({ cursor: { sequence: 2 }, hasMore: true });
    const second = await feed.list({ workspaceId, after: first.cursor, limit: 3 });
    expect(namesOf(second.records)).toEqual([3, 4, 5]);
    expect(second.hasMore).toBe(false);
    const third = await feed.list({ workspaceId, after: second.cursor, limit: 3 });
    expect(third).toEqual({ records: [], cursor: second.cursor, hasMore: false });
    await append(other, workspaceId, named('new'));
    await pause(2);
    const fourth = await feed.list({ workspaceId, after: third.cursor, limit: 3 });
    expect(namesOf(fourth.records)).toEqual(['new']);
  });

  it('has the cursor 0 while it is empty', async () => {
    const workspaceId = await newWorkspace(store);
    const nothing = { records: [], cursor: { sequence: 0 }, hasMore: false };
    expect(await feed.list({ workspaceId, limit: 9 })).toEqual(nothing);
    expect(await feed.list({ workspaceId, after: 'latest', limit: 9 })).toEqual(nothing);
    expect(await feed.list({ workspaceId, after: { sequence: 0 }, limit: 9 })).toEqual(nothing);
  });

  it('begins behind the newest event with latest', async () => {
    const workspaceId = await newFeed(3);
    const { records, cursor } = await feed.list({ workspaceId, after: 'latest', limit: 9 });
    expect(records).toEqual([]);
    expect(cursor).toMatchObject({
      sequence: 3,
      id: expect.stringMatching(`^evt_${workspaceId}_3_`),
    });
  });

  it('refuses a place ahead of it, and one whose event is another by now', async () => {
    const workspaceId = await newFeed(3);
    const refused = (after: EventCursor) =>
      expect(feed.list({ workspaceId, after, limit: 9 })).rejects.toMatchObject({
        code: 'cursor_unknown',
        details: { oldest: '0', latest: '3' },
      });
    await refused({ sequence: 4 });
    await refused({ sequence: Number.MAX_SAFE_INTEGER });
    for (const sequence of [2, 3, 4]) {
      await refused({ sequence, id: `evt_${workspaceId}_${sequence}_abc` });
    }
    expect((await feed.list({ workspaceId, after: { sequence: 3 }, limit: 9 })).records).toEqual(
      [],
    );
  });

  it('refuses a place whose successor is gone, and takes the one before the oldest', async () => {
    const workspaceId = await newFeed(3);
    const all = await feed.list({ workspaceId, limit: 9 });
    await append(store, workspaceId, named(4, NOW + 10), named(5, NOW + 10));
    await numberAll(store);
    await deleteOldEvents(store, NOW + 10);
    const list = (after: EventCursor) => feed.list({ workspaceId, after, limit: 9 });
    const expired = { code: 'events_expired', details: { oldest: '3', latest: '5' } };
    await expect(list({ sequence: 0 })).rejects.toMatchObject(expired);
    await expect(list({ sequence: 2 })).rejects.toMatchObject(expired);
    expect(namesOf((await list(all.cursor)).records)).toEqual([4, 5]);
    expect(namesOf((await feed.list({ workspaceId, limit: 9 })).records)).toEqual([4, 5]);
    await expect(feed.get(workspaceId, { sequence: 3 })).rejects.toMatchObject(expired);
    await expect(feed.get(workspaceId, { sequence: 6 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('looks at 1,000 events at most, and says how far it has looked', async () => {
    const workspaceId = await newFeed(1_000);
    await append(store, workspaceId, ...numbers(1, 1_000).map((name) => named(name)));
    await append(store, workspaceId, { type: 'key.created', at: NOW });
    const types = typeFilter(['key.created'])!;
    const places: number[] = [];
    for (let after: EventCursor = { sequence: 0 }, isMore = true; isMore; ) {
      const page = await feed.list({ workspaceId, after, types, limit: 1 });
      after = page.cursor;
      isMore = page.hasMore;
      places.push(after.sequence);
      if (!isMore)
        expect(page.records.map(shownEvent)).toMatchObject([
          { type: 'key.created', sequence: 2_001 },
        ]);
    }
    expect(places).toEqual([1_000, 2_000, 2_001]);
  });

  it('ends a filtered page at its last event, so that nothing is skipped', async () => {
    const workspaceId = await newWorkspace(store);
    const created = { type: 'key.created', at: NOW } as const;
    await append(store, workspaceId, created, named(2), created, named(4));
    const types = typeFilter(['key.created'])!;
    const first = await feed.list({ workspaceId, types, limit: 1 });
    expect(first).toMatchObject({ cursor: { sequence: 1 }, hasMore: true });
    const second = await feed.list({ workspaceId, after: first.cursor, types, limit: 1 });
    expect(second.records).toMatchObject([{ sequence: 3 }]);
  });

  it('can end a wait between two pages, while the filter passes nothing', async () => {
    const workspaceId = await newFeed(3_000);
    const types = typeFilter(['key.created'])!;
    let end = () => {};
    const onEnd = (ending: () => void) => {
      end = ending;
    };
    const waiting = feed.wait({ workspaceId, types, limit: 1 }, { ms: 60_000, onEnd });
    await setImmediate();
    end();
    expect((await waiting).cursor.sequence).toBeLessThan(3_000);
  });

  it('wakes those who watch a workspace, for commits of this process and of others', async () => {
    const workspaceId = await newFeed(1);
    let wake = () => {};
    const next = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      });
    const unsubscribe = hub.subscribe(workspaceId, () => wake());
    let { cursor } = await feed.list({ workspaceId, limit: 9 });
    const seen: unknown[] = [];
    const follow = async (count: number) => {
      while (seen.length < count) {
        const woken = next();
        const page = await feed.listRecent({ workspaceId, after: cursor, limit: 9 });
        seen.push(...namesOf(page.records));
        cursor = page.cursor;
        if (!page.hasMore && seen.length < count) await woken;
      }
    };
    const following = follow(30);
    for (let name = 1; name <= 30; name += 1) {
      await append(name % 2 ? store : other, workspaceId, named(name));
      if (name % 2) hub.notify(workspaceId);
    }
    await following;
    unsubscribe();
    expect(seen).toEqual(numbers(1, 30));
  });

  it('keeps the newest events of a watched workspace in memory, and nothing of others', async () => {
    const workspaceId = await newFeed(3);
    expect(hub.recent(workspaceId, 3)).toBeUndefined();
    const unsubscribe = hub.subscribe(workspaceId, () => undefined);
    await until(() => hub.recent(workspaceId, 3) !== undefined);
    expect(hub.recent(workspaceId, 2)).toBeUndefined();
    await append(store, workspaceId, ...numbers(4, 1_503).map((name) => named(name)));
    hub.notify(workspaceId);
    await until(() => hub.recent(workspaceId, 1_503) !== undefined);
    expect(namesOf(hub.recent(workspaceId, 1_500)!)).toEqual([1_501, 1_502, 1_503]);
    expect(hub.recent(workspaceId, 502)).toBeUndefined();
    expect(hub.recent(workspaceId, 503)).toHaveLength(1_000);
    expect(hub.recent(workspaceId, 1_504)).toBeUndefined();
    unsubscribe();
    expect(hub.recent(workspaceId, 1_500)).toBeUndefined();
  });

  it('keeps a megabyte of a watched workspace in memory, however few events that are', async () => {
    const workspaceId = await newFeed(1);
    const unsubscribe = hub.subscribe(workspaceId, () => undefined);
    await until(() => hub.recent(workspaceId, 1) !== undefined);
    const large = (name: number) => named(`${name} ${'x'.repeat(100_000)}`);
    await append(store, workspaceId, ...numbers(2, 31).map(large));
    hub.notify(workspaceId);
    await until(() => hub.recent(workspaceId, 31) !== undefined);
    expect(hub.recent(workspaceId, 20)).toBeUndefined();
    expect(hub.recent(workspaceId, 23)).toHaveLength(8);
    await append(store, workspaceId, named(`32 ${'x'.repeat(2_000_000)}`), named(33));
    hub.notify(workspaceId);
    await until(() => hub.recent(workspaceId, 33) !== undefined);
    expect(hub.recent(workspaceId, 31)).toBeUndefined();
    expect(namesOf(hub.recent(workspaceId, 32)!)).toEqual([33]);
    unsubscribe();
  });

  it('keeps events in memory until the last subscriber has left', async () => {
    const workspaceId = await newFeed(3);
    const unsubscribe = hub.subscribe(workspaceId, () => undefined);
    const unsubscribeOther = hub.subscribe(workspaceId, () => undefined);
    await until(() => hub.recent(workspaceId, 3) !== undefined);
    await append(store, workspaceId, named(4));
    hub.notify(workspaceId);
    await until(() => hub.recent(workspaceId, 4) !== undefined);
    unsubscribe();
    expect(namesOf(hub.recent(workspaceId, 3)!)).toEqual([4]);
    unsubscribeOther();
    expect(hub.recent(workspaceId, 3)).toBeUndefined();
    expect(hub.recent(workspaceId, 4)).toBeUndefined();
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(1);
}
