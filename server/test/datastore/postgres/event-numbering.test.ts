// What numbering when read must withstand: units that are slow to commit, numberers that are killed or in each other's way.

import { beforeAll, describe, expect, it } from 'vitest';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { EventFeed } from '../../../src/services/events/event-feed.ts';
import { EventHub } from '../../../src/services/events/event-hub.ts';
import { numberAll, numbering } from '../../../src/services/events/numbering.ts';
import { createDatabase, onDatabase } from '../../support/servers.ts';
import { NOW, newWorkspace } from '../fixture.ts';
import { append, named, namesOf, readFeed } from '../suite-events.ts';
import { newWebhook } from '../suite-webhooks.ts';
import { untilLockIsAwaited } from './locks.ts';

describe('numbering when read', () => {
  let url: string;
  let store: PostgresDatastore;
  let other: PostgresDatastore;
  beforeAll(async () => {
    url = await createDatabase();
    await migratePostgres(url);
    store = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
    other = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
    return async () => {
      await store.close();
      await other.close();
    };
  });

  it('goes on past a unit that has drawn its id and is not committed; that one comes later', async () => {
    const workspaceId = await newWorkspace(store);
    await append(store, workspaceId, named('before'));
    let commit = () => {};
    const isHeld = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isWritten = () => {};
    const written = new Promise<void>((resolve) => {
      isWritten = resolve;
    });
    const late = store.transact(async (tx) => {
      await tx.events.append(workspaceId, [named('late')]);
      // Reading through the same connection makes sure that the arrival is in the database.
      await tx.events.head(workspaceId);
      isWritten();
      await isHeld;
    });
    await written;
    await append(other, workspaceId, named('meanwhile'));
    const shown = await readFeed(other, workspaceId);
    expect(namesOf(shown)).toEqual(['before', 'meanwhile']);
    commit();
    await late;
    const all = await readFeed(store, workspaceId);
    expect(namesOf(all)).toEqual(['before', 'meanwhile', 'late']);
    expect(all.slice(0, 2)).toEqual(shown);
  });

  it('looks at a bounded number of workspaces with new events for those with a webhook, and comes to all', async () => {
    const [first, last] = [100_001, 102_500];
    const arrival = `INSERT INTO event_arrivals (workspace_id, at, text)
      SELECT n, ${NOW}, '{}' FROM generate_series(${first}, ${last}) AS series (n)`;
    const owner = `INSERT INTO workspaces (id, name, plan, created_at) VALUES (${last}, '', 'free', ${NOW})`;
    const webhook = `INSERT INTO webhooks (workspace_id, url, types, batch_max, per_second_max, is_verified, state,
        failures, rejections, cursor, revision, cursor_revision, lease_number, secret, secret_hint, created_at)
      VALUES (${last}, '', '*', 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, '', '', ${NOW})`;
    await onDatabase(url, async (client) => {
      for (const text of [arrival, owner, webhook]) await client.query(text);
    });
    const look = await store.read.deliveries.workspacesToNumber(first - 1, 1_000);
    expect(look).toEqual({ workspaceIds: [], end: first + 999 });
    const job = numbering(() => undefined);
    for (let looks = 0; looks < 4; looks += 1) {
      await job.run(store, new AbortController().signal);
    }
    expect(await store.read.events.head(last)).toMatchObject({ lastSequence: 1 });
    expect(await store.read.events.head(first)).toMatchObject({ lastSequence: 0 });
    await onDatabase(url, (client) => client.query('DELETE FROM event_arrivals'));
  });

  it('finds the feeds with arrivals page by page, and numbers all of them', async () => {
    await numberAll(store);
    const feeds = [await newWorkspace(store), await newWorkspace(store), await newWorkspace(store)];
    for (const id of feeds) await append(store, id, named('first'), named('second'));
    const found = (after: number, limit: number) =>
      store.read.events.workspacesWithArrivals(after, limit);
    expect(await found(0, 2)).toEqual(feeds.slice(0, 2));
    expect(await found(feeds[1]!, 2)).toEqual(feeds.slice(2));
    // More feeds than are looked up at once.
    await onDatabase(url, (client) =>
      client.query(`INSERT INTO event_arrivals (workspace_id, at, text)
        SELECT 1000000 + n, 1, '{}' FROM generate_series(1, 600) n`),
    );
    await numberAll(store);
    expect(await found(0, 1)).toEqual([]);
  });

  it('keeps the events of one ledger row together although another change drew an id between theirs', async () => {
    const workspaceId = await newWorkspace(store);
    const low = { ...named('low'), movementId: 7 };
    await append(store, workspaceId, { ...named('cause'), movementId: 7 });
    await append(store, workspaceId, named('other'), low, { ...named('next'), movementId: 8 });
    const names = namesOf(await readFeed(store, workspaceId));
    expect(names).toEqual(['cause', 'low', 'other', 'next']);
  });

  it('loses and doubles nothing when two nodes number at once', async () => {
    const workspaceId = await newWorkspace(store);
    for (let round = 0; round < 20; round += 1) {
      const names = Array.from({ length: 10 }, (_, at) => round * 10 + at);
      await append(store, workspaceId, ...names.map((name) => named(name)));
      const nodes = [store, other, store, other];
      await Promise.allSettled(
        nodes.map((node) => node.transact((tx) => tx.events.numberArrivals(workspaceId))),
      );
    }
    const names = namesOf(await readFeed(store, workspaceId));
    expect(names).toEqual(Array.from({ length: 200 }, (_, at) => at));
  });

  it('keeps arrivals when a numberer is killed before its commit', async () => {
    const workspaceId = await newWorkspace(store);
    await append(store, workspaceId, named('a'), named('b'));
    const killed = store.transact(async (tx) => {
      await tx.events.numberArrivals(workspaceId);
      await tx.events.head(workspaceId);
      await onDatabase(url, (client) =>
        client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND state = 'idle in transaction'`,
        ),
      );
    });
    // The unit runs again on another connection, or fails; both are right.
    await killed.catch(() => undefined);
    expect(namesOf(await readFeed(other, workspaceId))).toEqual(['a', 'b']);
  });

  it('gives up soon while another holds the head, and reads on what is numbered', async () => {
    const workspaceId = await newWorkspace(store);
    await append(store, workspaceId, named('a'));
    await readFeed(store, workspaceId);
    await append(store, workspaceId, named('b'));
    await onDatabase(url, async (client) => {
      await client.query('BEGIN');
      const lock = 'SELECT 1 FROM event_heads WHERE workspace_id = $1 FOR UPDATE';
      await client.query(lock, [workspaceId]);
      const numbering = store.transact((tx) => tx.events.numberArrivals(workspaceId));
      await expect(numbering).rejects.toThrow(/lock timeout/);
      const page = await other.read.events.page(workspaceId, { after: 0, limit: 10 });
      expect(namesOf(page)).toEqual(['a']);
      // Nothing that changes the store waits for the head.
      await append(other, workspaceId, named('c'));
      await client.query('ROLLBACK');
    });
    expect(namesOf(await readFeed(store, workspaceId))).toEqual(['a', 'b', 'c']);
  });

  it('never moves the beginning of the feed back, also when two nodes remove old events at once', async () => {
    const workspaceId = await newWorkspace(store);
    const made = Array.from({ length: 9 }, (_, at) => ({ ...named(at), at: NOW + at }));
    await append(store, workspaceId, ...made);
    await readFeed(store, workspaceId);
    const deleteOld = (node: PostgresDatastore, before: number) =>
      node.transact((tx) => tx.events.deleteOld(workspaceId, before));
    await onDatabase(url, async (client) => {
      await client.query('BEGIN');
      const lock = 'SELECT 1 FROM events WHERE workspace_id = $1 AND sequence = 1 FOR UPDATE';
      await client.query(lock, [workspaceId]);
      const further = deleteOld(store, NOW + 6);
      await untilLockIsAwaited(url);
      const behind = deleteOld(other, NOW + 3);
      await untilLockIsAwaited(url, 2);
      await client.query('ROLLBACK');
      await Promise.all([further, behind]);
    });
    expect(await store.read.events.head(workspaceId)).toMatchObject({ firstSequence: 7 });
    expect(namesOf(await readFeed(store, workspaceId))).toEqual([6, 7, 8]);
  });

  const arrive = (workspaceId: number, count: number) =>
    onDatabase(url, (client) =>
      client.query(
        `INSERT INTO event_arrivals (workspace_id, at, text)
         SELECT $1, $2, '{"type":"category.created","data":{"category":{"name":' || n || '}}}'
         FROM generate_series(1, $3::int) AS n ORDER BY n`,
        [workspaceId, NOW, count],
      ),
    );

  it('counts no more than 10,000 events without a number for a webhook, and for all together', async () => {
    const webhook = await newWebhook(store);
    const countAll = async () =>
      (await store.read.deliveries.countByState()).find(({ state }) => state === webhook.state)!;
    const before = await countAll();
    await arrive(webhook.workspaceId, 10_005);
    expect((await store.read.webhooks.statusOf(webhook, NOW)).behind).toBe(10_000);
    const { behind } = await countAll();
    expect(behind).toBeGreaterThan(9_900);
    expect(behind - before.behind).toBeLessThanOrEqual(10_000);
  });

  it('ends a read of a long feed that was never read with what is numbered, and goes on from its cursor', async () => {
    const workspaceId = await newWorkspace(store);
    await arrive(workspaceId, 21_500);
    const feed = new EventFeed(store, new EventHub({ store, onFailure: () => undefined }));
    const first = await feed.list({ workspaceId, limit: 100 });
    expect(namesOf(first.records)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
    expect(first.hasMore).toBe(true);
    const head = await store.read.events.head(workspaceId);
    expect(head).toEqual({ firstSequence: 1, lastSequence: 20_000, hasArrivals: true });
    // At the end of what is numbered there is more, although no event is read.
    await arrive(workspaceId, 30_000);
    const none = await feed.list({ workspaceId, after: { sequence: 20_000 }, limit: 0 });
    expect(none).toMatchObject({ records: [], hasMore: true });
    // It was numbered up to 40,000 by the two reads. One turn numbers as much again, and then others have theirs.
    await arrive(workspaceId, 40_000);
    expect(await numberAll(store)).toBe(true);
    expect(await store.read.events.head(workspaceId)).toMatchObject({ lastSequence: 80_000 });
    expect(await numberAll(store)).toBe(false);
    expect(await store.read.events.head(workspaceId)).toMatchObject({
      lastSequence: 91_500,
      hasArrivals: false,
    });
    const last = await feed.list({ workspaceId, after: { sequence: 91_499 }, limit: 2 });
    expect(last).toMatchObject({ records: [{ sequence: 91_500 }], hasMore: false });
  });

  it('reports each read that another transaction keeps from numbering', async () => {
    const workspaceId = await newWorkspace(store);
    await append(store, workspaceId, named('a'));
    await readFeed(store, workspaceId);
    await append(store, workspaceId, named('b'));
    const delayed: number[] = [];
    const onDelay = (_: unknown, id: number) => void delayed.push(id);
    const hub = new EventHub({ store, onFailure: () => undefined, onDelay });
    await onDatabase(url, async (client) => {
      await client.query('BEGIN');
      const lock = 'SELECT 1 FROM event_heads WHERE workspace_id = $1 FOR UPDATE';
      await client.query(lock, [workspaceId]);
      const { records, isCut } = await hub.read(workspaceId, { after: 0, limit: 9 });
      expect(namesOf(records)).toEqual(['a']);
      expect(isCut).toBe(false);
      expect(delayed).toEqual([workspaceId]);
      await client.query('ROLLBACK');
    });
    const { records } = await hub.read(workspaceId, { after: 0, limit: 9 });
    expect(namesOf(records)).toEqual(['a', 'b']);
    expect(delayed).toHaveLength(1);
  });

  it('numbers a great many in pieces and keeps their order', async () => {
    const workspaceId = await newWorkspace(store);
    for (let at = 0; at < 3; at += 1) {
      const names = Array.from({ length: 1_000 }, (_, index) => at * 1_000 + index);
      await append(store, workspaceId, ...names.map((name) => named(name)));
    }
    await store.transact((tx) => tx.events.numberArrivals(workspaceId));
    const head = await store.read.events.head(workspaceId);
    expect(head).toEqual({ firstSequence: 1, lastSequence: 1_000, hasArrivals: true });
    const names = namesOf(await readFeed(store, workspaceId));
    expect(names).toEqual(Array.from({ length: 3_000 }, (_, at) => at));
  });
});
