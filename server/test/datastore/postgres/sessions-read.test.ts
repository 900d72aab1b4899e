// Each sign-in leaves a row among the keys for weeks, so a workspace may have very many.

import { expect, it } from 'vitest';
import { dryRun } from '../../../src/datastore/datastore.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { HOUR_MS } from '../../../src/domain/durations.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { createMigratedDatabase, onDatabase } from '../../support/servers.ts';
import { countersOf } from './counters.ts';

const SETTINGS = { connections: { reads: 1, groups: 1, writes: 1 }, timeoutFactor: 10 };
/** How many sessions the first workspace has. Those of its neighbours come behind them. */
const SESSIONS = 5_000;
const OF_OTHERS = 500;
/** When the last of them ends. */
const LAST = 9_999 + SESSIONS;
/** Keys that were revoked or have expired. */
const FORMER = 1_000;
const OWN = ['key', 'other'];
const LIMIT = 20;
const IDS = Array.from({ length: LIMIT }, (_, n) => idAt(n * 200));
const READ = `SELECT relname, CAST(SUM(idx_tup_read) AS INTEGER) FROM pg_stat_user_indexes GROUP BY relname`;
const FILL = [
  'SET session_replication_role = replica',
  `INSERT INTO api_keys (id, workspace_id, digest, name, hint, scopes, created_at)
   VALUES ('key', 1, 'key', '', '', 'manage', 0), ('other', 1, 'other', '', '', 'manage', 0)`,
  `INSERT INTO api_keys (id, workspace_id, digest, name, hint, scopes, parent_id, created_at, expires_at)
   SELECT 's' || n, CASE WHEN n <= ${LAST} THEN 1 ELSE n END, n, '', '', 'read',
     CASE WHEN n <= ${LAST} THEN 'other' ELSE 'parent ' || n END, 0, n
   FROM generate_series(10000, ${LAST + OF_OTHERS}) AS series (n)`,
  `INSERT INTO api_keys (id, workspace_id, digest, name, hint, scopes, created_at, expires_at, revoked_at)
   SELECT 'former ' || n, 1, 'former ' || n, '', '', 'manage', 0, CASE WHEN n % 2 = 0 THEN n END, CASE WHEN n % 2 = 1 THEN n END
   FROM generate_series(1, ${FORMER}) AS series (n)`,
  'ANALYZE',
];

function idAt(n: number): string {
  return `s${10_000 + n}`;
}

it.each<[what: string, work: (store: PostgresDatastore) => Promise<number>]>([
  [
    'a list of the last keys of a workspace',
    async (store) => {
      const page = { sort: '-id', limit: LIMIT } as const;
      return (await store.read.keys.list(1, { now: 0 }, page)).items.length;
    },
  ],
  [
    'a list of the keys with these ids',
    async (store) => {
      const page = { sort: 'id', limit: LIMIT } as const;
      return (await store.read.keys.list(1, { ids: IDS, now: 0 }, page)).items.length;
    },
  ],
  [
    'the sessions of a key that have not ended',
    (store) =>
      store.transact(async (tx) => (await tx.keys.listSessions('other', LAST - LIMIT)).length),
  ],
  [
    'a revocation',
    (store) =>
      dryRun(store, async (tx) => {
        const now = LAST - LIMIT + HOUR_MS;
        const keys = await tx.keys.listToRevokeAndLock(1, 'other', now);
        expect(keys.filter(({ parentId }) => !parentId).map(({ id }) => id)).toEqual(OWN);
        await tx.keys.revoke(1, 'other', now);
        expect(await tx.keys.listSessions('other', LAST - LIMIT)).toEqual([]);
        return keys.length - OWN.length;
      }),
  ],
  [
    'a rotation',
    (store) =>
      dryRun(store, async (tx) => {
        const endsAt = LAST - LIMIT;
        await tx.keys.rotate(1, 'other', { at: 0, expiresAt: endsAt });
        const open = await tx.keys.listSessions('other', endsAt - 1);
        return open.slice(1).filter(({ expiresAt }) => expiresAt === endsAt).length;
      }),
  ],
])('%s reads few of the sessions', async (_, work) => {
  const url = await createMigratedDatabase();
  await onDatabase(url, async (client) => {
    for (const text of FILL) await client.query(text);
  });
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await onDatabase(url, async (client) => {
      const [{ name }] = (await client.query('SELECT current_database() AS name')).rows;
      await client.query(`ALTER DATABASE ${name} SET plan_cache_mode = '${mode}'`);
      await client.query('SELECT pg_stat_reset()');
    });
    const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
    expect(await work(store)).toBe(LIMIT);
    await store.close();
    const read = new Map(await countersOf<[table: string, entries: number]>(url, READ));
    expect(read.get('api_keys'), mode).toBeLessThan(10 * LIMIT);
  }
});

it('the deletion of unused sessions reads no usage but theirs, and not the sessions that are kept', async () => {
  const url = await createMigratedDatabase();
  await onDatabase(url, async (client) => {
    for (const text of FILL.slice(0, -1)) await client.query(text);
    await client.query(`UPDATE api_keys SET revoked_at = expires_at WHERE parent_id = 'other'`);
    await client.query(
      `INSERT INTO usage_days (workspace_id, day, key_id, operation_id, admitted, refused, failed, last_at)
       SELECT 1, 0, id, 'listPets', 1, 0, 0, 0 FROM api_keys
       WHERE parent_id = 'other' AND revoked_at % ${LIMIT} > 0`,
    );
    await client.query('ANALYZE');
  });
  // A connection counts what it has read when it ends.
  await onDatabase(url, (client) => client.query('SELECT pg_stat_reset()'));
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const last = { sort: 'id', limit: 2 * LIMIT, after: [idAt(SESSIONS - LIMIT - 1)] } as const;
  for (let place: readonly [number, string] | undefined = [0, '']; place; ) {
    const after: readonly [number, string] = place;
    place = await store.transact((tx) => tx.oldRows.removeUnusedSessions(after, 100_000));
  }
  expect((await store.read.keys.list(1, { now: 0 }, last)).items).toHaveLength(LIMIT - 1);
  await store.close();
  const read = new Map(await countersOf<[table: string, entries: number]>(url, READ));
  expect(read.get('usage_days')).toBeLessThan(3 * SESSIONS);
  expect(read.get('api_keys')).toBeLessThan(2 * SESSIONS);
});
