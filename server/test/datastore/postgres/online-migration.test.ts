// Version 3 is applied to PostgreSQL while nodes of version 2 serve, and completed by the next start if it is interrupted.

import type pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import type { MigrationProgress } from '../../../src/datastore/migrations.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { createMigratedDatabase, onDatabase } from '../../support/servers.ts';
import {
  createVersionTwo,
  creationTimes,
  readCreationTimes,
  VERSION_THREE,
} from '../version-two.ts';

const HISTORY_LOCK = 7_236_187_401;
// The other indexes wait too, for the snapshot of the query that looks for what waits.
const LAST_INDEX = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS pets_deleted';
const SEEN = { timeout: 60_000, interval: 20 };
const PET = `INSERT INTO pets (id, workspace_id, category_id, name, name_key, quantity, reserved, held)
  VALUES (2, 1, 1, 'b', 'b', 9, 0, 0)`;
const ORDER = `INSERT INTO orders (id, workspace_id, pet_id, quantity, complete, created_at)
  VALUES (9000, 1, 1, 1, 0, 0)`;

describe('applying version 3 to PostgreSQL', () => {
  it('is done by one of six nodes that start at once', async () => {
    const url = await createVersionTwo();
    const applied = await Promise.all(Array.from({ length: 6 }, () => migratePostgres(url)));
    expect(applied.flat()).toEqual([VERSION_THREE]);
    await expectVersionThree(url);
  });

  it('says how far it is: the rows of its batches, then the indexes', async () => {
    const url = await createVersionTwo();
    const seen: MigrationProgress[] = [];
    await migratePostgres(url, { onProgress: (progress) => seen.push(progress) });
    const rows = seen.filter(({ what }) => what === 'rows of movements');
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.map(({ done }) => done)).toEqual(rows.map((_, batch) => 1_000 * batch));
    expect(new Set(rows.map(({ total }) => total)).size).toBe(1);
    expect(seen.map(({ what }) => what)).toContain('index orders_by_expiry');
    expect(seen.every(({ done, total }) => done < total)).toBe(true);
  });

  it('is completed by the next start after a batch of creation times was interrupted', async () => {
    const url = await createVersionTwo();
    await onDatabase(url, async (node) => {
      // Its first row in the ledger lies in the third batch.
      await node.query('BEGIN; UPDATE orders SET quantity = 2 WHERE id = 2500');
      await interruptAt(url, 'UPDATE orders');
      await node.query('COMMIT');
    });
    const times = new Map(await readCreationTimes(url));
    expect([times.get(1), times.get(2500)]).toEqual([creationTimes[0]![1], null]);
    expect(await migratePostgres(url)).toEqual([VERSION_THREE]);
    await expectVersionThree(url);
  });

  it('is completed by the next start after it was interrupted between two columns', async () => {
    const url = await createVersionTwo();
    await onDatabase(url, async (node) => {
      await node.query('BEGIN; SELECT FROM usage_minutes');
      await interruptAt(url, 'ALTER TABLE usage_minutes');
      await node.query('COMMIT');
    });
    expect(await migratePostgres(url)).toEqual([VERSION_THREE]);
    await expectVersionThree(url);
  });

  it('replaces the invalid index that an interrupted build has left behind', async () => {
    const url = await createVersionTwo();
    await onDatabase(url, async (node) => {
      await node.query(`BEGIN; ${PET}`);
      await interruptAt(url, LAST_INDEX);
      await node.query('ROLLBACK');
    });
    expect(await indexes(url)).toContainEqual(expect.stringMatching(/pets_deleted.* invalid/));
    expect(await migratePostgres(url)).toEqual([VERSION_THREE]);
    await expectVersionThree(url);
  });

  it('gives up its place before the lock is free, so that serving nodes go on', async ({
    signal,
  }) => {
    const url = await createVersionTwo();
    await onDatabase(url, (reader) =>
      onDatabase(url, (writer) =>
        onDatabase(url, async (third) => {
          await reader.query('BEGIN; SELECT FROM api_keys');
          await writer.query(`BEGIN; ${ORDER}`);
          const migrated = migratePostgres(url);
          await expectServing(third, { statement: 'ALTER TABLE api_keys', signal });
          await reader.query('SELECT FROM api_keys; COMMIT');
          await expectServing(third, { statement: 'ALTER TABLE orders', signal });
          await writer.query(`UPDATE orders SET quantity = 2 WHERE id = 9000; ${PET}; ROLLBACK`);
          expect(await migrated).toEqual([VERSION_THREE]);
        }),
      ),
    );
    await expectVersionThree(url);
  });

  it('lets nodes serve, and one of version 2 start, while it waits to build an index', async () => {
    const url = await createVersionTwo();
    await onDatabase(url, (writer) =>
      onDatabase(url, async (third) => {
        await writer.query(`BEGIN; ${PET}`);
        const migrated = migratePostgres(url);
        await vi.waitFor(async () => {
          expect(await findWaiting(third, LAST_INDEX)).toBeDefined();
        }, SEEN);
        // No wait at all.
        await serve(third, { lockWaitMs: 1 });
        const taken = await third.query('SELECT pg_try_advisory_xact_lock($1) AS taken', [
          HISTORY_LOCK,
        ]);
        expect(taken.rows).toEqual([{ taken: true }]);
        await writer.query('ROLLBACK');
        expect(await migrated).toEqual([VERSION_THREE]);
      }),
    );
    await expectVersionThree(url);
  });
});

/** Starts a node and ends its session on the server while that waits for a lock in a statement that begins like this. */
async function interruptAt(url: string, statement: string): Promise<void> {
  const migrated = expect(migratePostgres(url)).rejects.toThrow(StorageUnavailable);
  await onDatabase(url, (client) =>
    vi.waitFor(async () => {
      const waiting = await findWaiting(client, statement);
      expect(waiting).toBeDefined();
      await client.query('SELECT pg_terminate_backend($1)', [waiting!.pid]);
    }, SEEN),
  );
  await migrated;
}

/** The migration waits for its lock more than once, and each time gives up before it has kept another node waiting. */
async function expectServing(
  node: pg.Client,
  { statement, signal }: { statement: string; signal: AbortSignal },
): Promise<void> {
  const attempts = new Set<string>();
  while (attempts.size < 3) {
    signal.throwIfAborted();
    const waiting = await findWaiting(node, statement);
    if (!waiting) continue;
    attempts.add(waiting.since);
    await serve(node, { lockWaitMs: 60_000 });
  }
}

/** What a node of version 2 does. Fails if a lock is not granted in time. */
async function serve(node: pg.Client, { lockWaitMs }: { lockWaitMs: number }): Promise<void> {
  await node.query(`SET lock_timeout = ${lockWaitMs}`);
  await node.query('SELECT FROM api_keys');
  await node.query('UPDATE api_keys SET last_used_at = 1');
  await node.query(`INSERT INTO usage_minutes (workspace_id, minute, requests) VALUES (1, 1, 1)
    ON CONFLICT (workspace_id, minute) DO UPDATE SET requests = usage_minutes.requests + 1`);
  await node.query('UPDATE orders SET quantity = quantity + 1 WHERE id = 1');
  await node.query('SELECT FROM movements WHERE id = 1 FOR UPDATE');
  await node.query('UPDATE pets SET held = 1 WHERE id = 1');
}

async function findWaiting(client: pg.Client, statement: string) {
  const { rows } = await client.query<{ pid: number; since: string }>(
    `SELECT pid, query_start::text AS since FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'petstore migrate'
       AND wait_event_type = 'Lock' AND query LIKE $1 || '%'`,
    [statement],
  );
  return rows[0];
}

/** The same columns and indexes as a new database, and the right creation times. */
async function expectVersionThree(url: string): Promise<void> {
  const fresh = await createMigratedDatabase();
  expect(await columns(url)).toEqual(await columns(fresh));
  expect(await indexes(url)).toEqual(await indexes(fresh));
  expect(await readCreationTimes(url)).toEqual(creationTimes);
  expect(await migratePostgres(url)).toEqual([]);
}

function columns(url: string): Promise<string[]> {
  return lines(
    url,
    `SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
     FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1`,
  );
}

function indexes(url: string): Promise<string[]> {
  return lines(
    url,
    `SELECT pg_get_indexdef(indexrelid) || CASE WHEN indisvalid THEN '' ELSE ' invalid' END AS line
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
}

async function lines(url: string, text: string): Promise<string[]> {
  const { rows } = await onDatabase(url, (client) => client.query<{ line: string }>(text));
  return rows.map(({ line }) => line);
}
