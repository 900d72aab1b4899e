// A plan that reads a table from end to end costs nothing in a new store and more with each record. PostgreSQL keeps the
// plan that it made first, so such a plan must not even be made while the tables are small.

import { expect, it, onTestFinished, vi } from 'vitest';
import { PostgresConnection } from '../../../src/datastore/postgres/connection.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { DELETED_MAX } from '../../../src/datastore/runner.ts';
import { getTable } from '../../../src/datastore/tables.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { operations } from '../../../src/operations/operations.ts';
import { eraseWorkspaces } from '../../../src/services/tenants/erase-workspaces.ts';
import { exampleRequests, optionsFor, World } from '../../operations/example-requests.ts';
import { createWebhook } from '../../operations/webhooks/receiver-app.ts';
import { testApp } from '../../support/app.ts';
import { createMigratedDatabase, onDatabase } from '../../support/servers.ts';
import { newShop, placeIn, why } from '../fixture.ts';
import { countersOf } from './counters.ts';

/** What the start and the jobs of the service read whole, however often they run meanwhile. No operation sends these. */
const OF_JOBS = new Map([
  ['webhooks', { begins: 'SELECT DISTINCT substr(secret', scans: 2 }],
  ['commit_marks', { begins: 'DELETE FROM commit_marks WHERE at <', scans: 1 }],
]);
/** `testApp` opens the store three times, and each time the migration deletes old markers on a connection of its own. */
const MIGRATIONS = 3;
/** Tables with a row for each node, job or migration never grow. */
const SMALL = ['leases', 'nodes', 'schema_migrations'];
/** How many rows the first workspace has in each of these tables. More than a list examines, and than all examples together. */
const ROWS = 10_000;
const N = `generate_series(100001, ${100_000 + ROWS}) AS series (n)`;
/** Without the checks of foreign keys, which would read the rows, too. */
const FILL = [
  'SET session_replication_role = replica',
  `INSERT INTO categories (workspace_id, id, name, name_key, words) SELECT 1, n, n, n, '[]' FROM ${N}`,
  `INSERT INTO pets (workspace_id, id, category_id, name, name_key, words, quantity, reserved, held, created_at, moved_at)
   SELECT 1, n, 100001, n, n, '[]', 1, 1, 0, 0, 0 FROM ${N}`,
  `INSERT INTO orders (workspace_id, id, pet_id, quantity, state, created_at)
   SELECT 1, n, n, 1, 'open', 0 FROM ${N}`,
  `INSERT INTO movements (workspace_id, id, pet_id, cause, quantity_before, quantity_after, reserved_before,
     reserved_after, at) SELECT 1, n, n, 'created', 0, 1, 0, 0, 0 FROM ${N}`,
  'ANALYZE',
];
const SETTINGS = { connections: { reads: 1, groups: 1, writes: 1 }, timeoutFactor: 10 };
const COMMITS = 50;
const SCANS = 'SELECT relname, CAST(seq_scan AS INTEGER) FROM pg_stat_user_tables';
const ENTRIES_READ = `SELECT relname, CAST(SUM(idx_tup_read) AS INTEGER) FROM pg_stat_user_indexes GROUP BY relname`;
const ROWS_READ = `SELECT relname, CAST(seq_tup_read + COALESCE(idx_tup_fetch, 0) AS INTEGER)
  FROM pg_stat_user_tables WHERE relname IN ('pets', 'orders', 'movements')`;
const BLOCKS_READ = `SELECT relname, CAST(SUM(idx_blks_hit + idx_blks_read) AS INTEGER)
  FROM pg_statio_user_indexes GROUP BY relname`;
/** How many rows one statement works on. */
const OLD = 20;
const MARKERS_READ = `SELECT CAST(idx_tup_read AS INTEGER) FROM pg_stat_user_indexes
  WHERE relname = 'commit_marks'`;

it('no operation reads a whole table, and only the export of a workspace all its rows', async () => {
  const sent = spyOnTexts();
  const environment = { PETSTORE_SIGNUP: 'open', PETSTORE_WEBHOOKS: 'off' };
  const app = await testApp({ engine: 'postgres', environment });
  const url = app.config.PETSTORE_DATABASE_URL!;
  // What the examples change beside the service must not scan either, as a command may.
  const beside = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const transact: typeof app.transact = (work) => beside.transact(work);
  const world = new World({ ...app, transact }, app.key);
  await onDatabase(url, async (client) => {
    for (const text of FILL) await client.query(text);
    await client.query('SELECT pg_stat_reset()');
  });
  for (const operation of operations) {
    if (operation.success.kind === 'stream') continue;
    const example = await exampleRequests[operation.id]!(world);
    const headers = operation.kind === 'read' ? {} : { 'idempotency-key': operation.id };
    const { status } = await app.call(
      operation.method,
      `/v1${example.path}`,
      optionsFor(example, { headers }),
    );
    expect(status, operation.id).toBeLessThan(300);
  }
  // More than there is: the service looks for orders of the pet that are overdue.
  const scarce = { body: { petId: 100_001, quantity: 5 } };
  expect((await app.call('POST', '/v1/store/orders', scarce)).status).toBe(409);
  await beside.close();
  await app.stop();
  const scans = await countersOf<[table: string, scans: number]>(url, SCANS);
  const allowed = (table: string) => {
    const { begins, scans } = OF_JOBS.get(table) ?? { begins: ';', scans: 0 };
    const ofJobs = scans * sent.filter((text) => text.startsWith(begins)).length;
    return ofJobs + (table === 'commit_marks' ? MIGRATIONS : 0);
  };
  const tooMany = scans.filter(
    ([table, count]) => !SMALL.includes(table) && count > allowed(table),
  );
  expect(tooMany).toEqual([]);
  const entries = await countersOf<[table: string, entries: number]>(url, ENTRIES_READ);
  expect(entries.filter(([, count]) => count > 2 * ROWS)).toEqual([]);
});

const LARGE_ROWS = 21_000;
const LARGE = `generate_series(100001, ${100_000 + LARGE_ROWS}) AS series (n)`;
const SMALL_ONES = 'generate_series(1001, 9000) AS series (n)';
const PET_COLUMNS = `workspace_id, id, category_id, name, name_key, words, quantity, reserved, held, created_at, moved_at`;
const petsIn = (workspace: string, from: string) => [
  `INSERT INTO pets (${PET_COLUMNS})
   SELECT ${workspace}, n, 100001, n, n, '["shared"]', 1, 0, 0, 0, 0 FROM ${from}`,
  `INSERT INTO pet_words (workspace_id, word, id) SELECT ${workspace}, 'shared', n FROM ${from}`,
  `INSERT INTO movements (workspace_id, id, pet_id, cause, quantity_before, quantity_after, reserved_before,
     reserved_after, at) SELECT ${workspace}, n, n, 'created', 0, 1, 0, 0, 0 FROM ${from}`,
];

/** A large workspace, all pets of which are of one category, beside small ones. */
async function databaseOfUnequals(): Promise<string> {
  const url = await createMigratedDatabase();
  await onDatabase(url, async (client) => {
    const fill = [...petsIn('1', LARGE), ...petsIn('n', SMALL_ONES)];
    for (const text of [...FILL.slice(0, 2), ...fill, 'ANALYZE']) await client.query(text);
  });
  await onDatabase(url, (client) => client.query('SELECT pg_stat_reset()'));
  return url;
}

it('the deletion of a category looks at none of the pets of others', async () => {
  const url = await databaseOfUnequals();
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  // After a few runs the server may keep a plan that knows no value.
  for (let id = 100_002; id <= 100_002 + OLD; id++) {
    expect(await store.transact((tx) => tx.categories.delete(1, id))).toBe(true);
  }
  expect(await store.transact((tx) => tx.categories.delete(1, 100_001))).toBe(false);
  await store.close();
  const entries = new Map(await countersOf<[table: string, entries: number]>(url, ENTRIES_READ));
  expect(entries.get('pets')).toBeLessThan(5 * OLD);
});

it('the check of one workspace reads no pets, orders and ledger of others', async () => {
  const url = await databaseOfUnequals();
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const { reserved, ledger, links } = await store.read.audit.differences(1_001);
  expect([reserved, ledger, links.length]).toEqual([[], [], 0]);
  await store.close();
  const read = await countersOf<[table: string, rows: number]>(url, ROWS_READ);
  expect(read.filter(([, rows]) => rows > OLD)).toEqual([]);
});

it('erasing reads no rows again that it has deleted, while a snapshot keeps them', async () => {
  const url = await databaseOfUnequals();
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const now = Date.now();
  await onDatabase(url, (client) =>
    client.query(
      `INSERT INTO workspaces (id, name, plan, created_at, closed_at, closed_by, erase_at)
       OVERRIDING SYSTEM VALUE VALUES (1, '', 'free', 0, 0, 'owner', 0)`,
    ),
  );
  const snapshot = await store.snapshot();
  await snapshot.read.workspaces.find(1);
  await eraseWorkspaces(store, { now: () => now });
  expect(await store.read.erasure.count(1, getTable('pet_words'))).toBe(0);
  await snapshot.close();
  await store.close();
  const entries = new Map(await countersOf<[table: string, entries: number]>(url, ENTRIES_READ));
  for (const table of ['pets', 'pet_words', 'movements', 'categories']) {
    expect(entries.get(table)! / LARGE_ROWS, table).toBeLessThan(10);
  }
});

it('records of a large workspace are found by their ids although most workspaces are small', async () => {
  const url = await databaseOfUnequals();
  const ids = Array.from({ length: OLD }, (_, at) => 120_001 + at);
  await onDatabase(url, async (client) => {
    // After a few runs the server plans for a workspace of average size.
    const [{ name }] = (await client.query('SELECT current_database() AS name')).rows;
    await client.query(`ALTER DATABASE ${name} SET plan_cache_mode = 'force_generic_plan'`);
  });
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const page = { sort: 'id', limit: OLD } as const;
  await store.transact(async (tx) => {
    expect((await tx.stock.lockMany(1, ids)).size).toBe(OLD);
    const before = (await tx.pets.findAndLock(1, ids[0]!))!;
    await tx.pets.update(1, [{ before, after: { ...before, name: 'Tom' } }]);
  });
  expect((await store.read.pets.list(1, { ids }, page)).items).toHaveLength(OLD);
  expect((await store.read.ledger.listAsOf(1, { asOf: 1 }, page)).items).toHaveLength(OLD);
  await store.close();
  const entries = await countersOf<[table: string, entries: number]>(url, ENTRIES_READ);
  expect(entries.filter(([, count]) => count > 20 * OLD)).toEqual([]);
  const blocks = new Map(await countersOf<[table: string, blocks: number]>(url, BLOCKS_READ));
  expect(blocks.get('pet_words')).toBeLessThan(5 * OLD);
});

/** The text of every command that is sent from now on until the test ends. */
function spyOnTexts(): string[] {
  const texts: string[] = [];
  const { sendAll } = PostgresConnection.prototype;
  const spy = vi.spyOn(PostgresConnection.prototype, 'sendAll');
  spy.mockImplementation(function (this: PostgresConnection, commands, onDone) {
    texts.push(...commands.map(({ text }) => text.trimStart()));
    return sendAll.call(this, commands, onDone);
  });
  onTestFinished(() => spy.mockRestore());
  return texts;
}

it('a list of webhooks counts the new events of its workspace once', async () => {
  const environment = { PETSTORE_WEBHOOKS: 'off', PETSTORE_WEBHOOK_VERIFY: 'none' };
  const app = await testApp({ engine: 'postgres', environment });
  for (let n = 0; n < 3; n++) await createWebhook(app, { url: 'http://127.0.0.1:9/', after: '0' });
  const sent = spyOnTexts();
  const { body } = await app.call('GET', '/v1/webhooks');
  expect(body.map(({ behind }: { behind: number }) => behind)).toEqual([1, 1, 1]);
  expect(sent.filter((text) => text.includes('SELECT 1 FROM event_arrivals'))).toHaveLength(1);
});

it('a commit reads the markers of the commit before it, and none that were deleted earlier', async () => {
  const url = await createMigratedDatabase();
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const stock = { quantity: 1_000, reserved: 0, held: false };
  const { workspaceId, petId } = await newShop(store, stock);
  const order = { petId, quantity: 1, complete: false };
  for (let n = 0; n < COMMITS; n++) {
    await store.transact((tx) => placeIn(tx, workspaceId, order, why));
    await store.transact((tx) => tx.attempt(() => placeIn(tx, workspaceId, order, why)));
  }
  await store.close();
  const [[read]] = (await countersOf<[number]>(url, MARKERS_READ)) as [[number]];
  expect(read / (2 * COMMITS)).toBeLessThan(2);
});

it('a look at the log of changes reads none that were read long ago', async () => {
  const url = await createMigratedDatabase();
  await onDatabase(url, async (client) => {
    await client.query(
      `INSERT INTO changes (workspace_id, kind, subject, at)
       SELECT 1, 'key', n, CAST(EXTRACT(EPOCH FROM now()) * 1000 AS BIGINT) - 30 * 60000 FROM ${N}`,
    );
    await client.query('SELECT pg_stat_reset()');
  });
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  expect(await store.read.changes.list(ROWS - 4)).toHaveLength(5);
  // None of them is old enough.
  expect(await store.transact((tx) => tx.changes.deleteOld())).toBe(0);
  await store.close();
  const entries = new Map(await countersOf<[table: string, entries: number]>(url, ENTRIES_READ));
  expect(entries.get('changes')).toBeLessThan(100);
});

it.each([
  ['waits', undefined],
  ['skips those that others have locked', 1],
])(
  'an order that ends overdue orders of its pet and %s reads no more of them than it ends',
  async (_, except) => {
    const url = await createMigratedDatabase();
    const due = `INSERT INTO orders (workspace_id, id, pet_id, quantity, state, created_at, expires_at)
    SELECT 1, n, n / 90000, 1, 'open', 0, 1 FROM ${N}`;
    await onDatabase(url, async (client) => {
      for (const text of [FILL[0]!, due]) await client.query(text);
    });
    await onDatabase(url, (client) => client.query('SELECT pg_stat_reset()'));
    const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
    const pet = { workspaceId: 1, petId: 1, limit: OLD, ...(except ? { except } : {}) };
    const ended = await store.transact((tx) => tx.orders.expireDueOfPet(pet, Date.now()));
    expect(ended).toHaveLength(OLD);
    await store.close();
    const entries = new Map(await countersOf<[table: string, entries: number]>(url, ENTRIES_READ));
    expect(entries.get('orders')).toBeLessThan(3 * OLD);
  },
);

it('the deletion of old sessions reads none that have not ended', async () => {
  const url = await createMigratedDatabase();
  const sessions = `INSERT INTO api_keys
      (id, workspace_id, digest, name, hint, scopes, parent_id, created_at, expires_at)
    SELECT n, 1, n, '', '', 'read', 'key', 0, n FROM ${N}`;
  await onDatabase(url, async (client) => {
    for (const text of [FILL[0]!, sessions]) await client.query(text);
  });
  await onDatabase(url, (client) => client.query('SELECT pg_stat_reset()'));
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const before = 100_001 + OLD;
  expect(await store.transact((tx) => tx.oldRows.remove('sessions', before))).toBe(OLD);
  await store.close();
  const entries = new Map(await countersOf<[table: string, entries: number]>(url, ENTRIES_READ));
  expect(entries.get('api_keys')).toBeLessThan(3 * OLD);
});

it('the audit log of a workspace that has nearly all rows is not looked for among the newer rows of others', async () => {
  const url = await createMigratedDatabase();
  await onDatabase(url, async (client) => {
    await client.query(FILL[0]!);
    await client.query(
      `INSERT INTO audit_log (workspace_id, at, action, actor_type, target)
       SELECT CASE WHEN n > 109500 THEN n ELSE 1 END, n, 'key.created', 'service', 'key' FROM ${N}`,
    );
    await client.query('ANALYZE');
  });
  await onDatabase(url, (client) => client.query('SELECT pg_stat_reset()'));
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const page = { sort: '-at', limit: OLD } as const;
  const { items } = await store.read.auditLog.listOwn(1, {}, page);
  expect(items).toHaveLength(OLD);
  expect((await store.read.auditLog.list(undefined, {}, page)).items[0]!.at).toBe(100_000 + ROWS);
  await store.close();
  const entries = new Map(await countersOf<[table: string, entries: number]>(url, ENTRIES_READ));
  expect(entries.get('audit_log')).toBeLessThan(3 * OLD);
});

const OF_ATTEMPTS = `INSERT INTO webhook_attempts (workspace_id, id, webhook_id, is_verification, attempt, at, duration_ms, outcome)
  SELECT 1, n, 1, 0, 1, n, 1, 'delivered' FROM ${N}`;
const OF_WEBHOOKS = `INSERT INTO webhooks (workspace_id, id, url, types, batch_max, per_second_max, is_verified, state,
    failures, rejections, cursor, revision, cursor_revision, lease_number, secret, secret_hint, created_at, due_at)
  SELECT 1, n, '', '*', 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, '', '', 0, n FROM ${N}`;

it.each<
  [what: string, table: string, fill: string, work: (store: PostgresDatastore) => Promise<number>]
>([
  [
    'the deletion of old attempts',
    'webhook_attempts',
    OF_ATTEMPTS,
    (store) => store.transact((tx) => tx.oldRows.remove('attempts', 100_001 + OLD)),
  ],
  [
    'the lease of webhooks that are due',
    'webhooks',
    OF_WEBHOOKS,
    async (store) => {
      const now = Date.now();
      const due = await store.read.deliveries.due({ now, limit: OLD, isFailing: false });
      return (await store.transact((tx) => tx.deliveries.lease(due, now))).length;
    },
  ],
])('%s finds each by its key', async (_, table, fill, work) => {
  const url = await createMigratedDatabase();
  await onDatabase(url, async (client) => {
    for (const text of [FILL[0]!, fill]) await client.query(text);
  });
  // By another connection: that one reports what it has read when it ends.
  await onDatabase(url, (client) => client.query('SELECT pg_stat_reset()'));
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  expect(await work(store)).toBe(OLD);
  await store.close();
  const blocks = new Map(await countersOf<[table: string, blocks: number]>(url, BLOCKS_READ));
  expect(blocks.get(table)! / OLD).toBeLessThan(20);
});

it('the deletion of old events reads none of those that it deleted before', async () => {
  const url = await createMigratedDatabase();
  await onDatabase(url, async (client) => {
    for (const text of [
      FILL[0]!,
      `INSERT INTO event_heads (workspace_id, first_sequence, last_sequence) VALUES (1, 1, ${20 * DELETED_MAX})`,
      `INSERT INTO events (workspace_id, sequence, at, text)
       SELECT 1, n, n, '{}' FROM generate_series(1, ${20 * DELETED_MAX}) AS n`,
    ]) {
      await client.query(text);
    }
  });
  await onDatabase(url, (client) => client.query('SELECT pg_stat_reset()'));
  const store = new PostgresDatastore(url, new Coalescer(), SETTINGS);
  const deleteOld = () => store.transact((tx) => tx.events.deleteOld(1, Date.now()));
  for (let piece = 0; piece < 20; piece++) expect(await deleteOld()).toBe(DELETED_MAX);
  expect(await deleteOld()).toBe(0);
  await store.close();
  const blocks = new Map(await countersOf<[table: string, blocks: number]>(url, BLOCKS_READ));
  expect(blocks.get('events')! / 20).toBeLessThan(30);
});
