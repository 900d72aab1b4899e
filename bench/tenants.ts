// One workspace that is larger than any other, beside many small ones. Its requests ask for what is hardest to find; those of
// a small workspace are measured without them and beside them.

import Database from 'better-sqlite3';
import pg from 'pg';
import { readConfig } from '../server/src/config.ts';
import { databaseFileIn } from '../server/src/datastore/sqlite/file.ts';
import { bootstrap, createWorkspace } from '../server/src/services/workspaces.ts';
import { openStore } from '../server/src/stores.ts';
import { startPostgres } from '../server/test/support/servers.ts';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';
import { say } from './engines.ts';
import { type LoadResult, load, percentile } from './load.ts';
import { startService, type Target } from './processes.ts';

export interface TenantSizes {
  pets: number;
  orders: number;
  /** How many small workspaces there are, each with SMALL pets, orders and rows of the ledger. */
  tenants: number;
}

const SMALL = 10;
const SECONDS = 10;
const CLIENTS = 4;
const NO_LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
const START = Date.UTC(2026, 0, 1);
/**
 * Each matches nothing, or only what lies at the far end of the order that is asked for. # stands for a number that no other
 * request has, so that none is answered from memory.
 */
const WORST = [
  '/pets?name=Zz#',
  '/pets?q=shared%20zz#',
  '/pets?status=sold&name=P&sort=name&categoryId=1',
  '/pets?status=pending&name=Pet&sort=-name',
  '/inventory?q=shared&status=sold',
  '/inventory?low=true',
  '/inventory?asOf=2026-01-02T00:00:00.#Z',
  '/store/orders?complete=false&shipDateFrom=2040-01-01T00:00:00.#Z',
  '/store/orders?createdFrom=2040-01-01T00:00:00.#Z&sort=-shipDate',
  '/store/orders?state=expired&petId=1&createdFrom=2040-01-01T00:00:00.#Z',
  '/store/orders?state=cancelled&customer=shared&sort=shipDate&createdFrom=2040-01-01T00:00:00.#Z',
  '/store/orders?q=shared%20zz#&sort=-shipDate',
  '/store/orders?reference=rare&createdFrom=2040-01-01T00:00:00.#Z',
  '/movements?cause=set&from=2026-01-01T00:00:00.#Z',
  '/movements?keyId=none#',
  '/movements?cause=set&petId=1&sort=-id&from=2026-01-01T00:00:00.#Z',
];
const SMALL_ONES = [
  '/pets?limit=20',
  '/store/orders',
  '/movements?limit=20',
  '/inventory?limit=20',
];

type Execute = (sql: string) => Promise<unknown>;

export async function measureTenants(sizes: TenantSizes): Promise<string[]> {
  const rows = [
    '| engine | alone p50 ms | p99 ms | beside p50 ms | p99 ms | requests of the large one | slowest ms |',
    '|---|---|---|---|---|---|---|',
  ];
  rows.push(await measureOn('SQLite', {}, sizes));
  const postgres = await startPostgres({ isDurable: true });
  try {
    const environment = { PETSTORE_DATABASE_URL: postgres.url };
    rows.push(await measureOn('PostgreSQL', environment, sizes));
  } finally {
    await postgres.stop();
  }
  const title = `## ${sizes.tenants} small workspaces beside one with ${sizes.pets} pets and ${sizes.orders} orders`;
  return [title, rows.join('\n')];
}

async function measureOn(
  name: string,
  environment: Record<string, string>,
  sizes: TenantSizes,
): Promise<string> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = temporaryFolder('petstore-bench-');
  cleanUp.defer(folder.remove);
  const settings = { PETSTORE_DATA_DIR: folder.path, ...environment };
  const owners = await createOwners(settings);
  say(`${name}\n`);
  await fillStore(settings, sizes);
  const service = await startService(settings);
  cleanUp.defer(service.stop);
  return rowOf(name, await measureBeside(service, [owners.large, owners.small]));
}

/** Keys of the operator, of the large workspace (2) and of a small one (3). */
export interface Owners {
  operator: string;
  large: string;
  small: string;
}

export async function createOwners(settings: Record<string, string>): Promise<Owners> {
  const { store } = await openStore(readConfig(settings));
  const operator = (await bootstrap(store, { keyText: undefined, now: Date.now() }))!;
  const create = async (name: string) => {
    const workspace = { name, plan: 'enterprise', limits: NO_LIMITS } as const;
    const made = await store.transact((tx) => createWorkspace(tx, { workspace, now: Date.now() }));
    return made.key.key;
  };
  const owners = { operator, large: await create('large'), small: await create('small') };
  await store.close();
  return owners;
}

/** Fills the store that `createOwners` made. */
export function fillStore(settings: Record<string, string>, sizes: TenantSizes): Promise<void> {
  const url = settings.PETSTORE_DATABASE_URL;
  return url ? onPostgres(url, sizes) : onSqlite(settings.PETSTORE_DATA_DIR!, sizes);
}

async function onSqlite(folder: string, sizes: TenantSizes): Promise<void> {
  const db = new Database(databaseFileIn(folder));
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -2000000');
  const series = (last: number) =>
    `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${last}) SELECT n FROM s)`;
  await fill(async (sql) => db.exec(sql), series, sizes);
  db.close();
}

async function onPostgres(url: string, sizes: TenantSizes): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET synchronous_commit = off');
  const series = (last: number) => `generate_series(1, ${last}) AS s (n)`;
  await fill((sql) => client.query(sql), series, sizes);
  for (const table of ['pets', 'orders', 'movements', 'categories', 'workspaces']) {
    const isSerial = `SELECT setval('${table}_id_seq', (SELECT max(id) FROM ${table}))`;
    await client.query(isSerial);
  }
  say('  analyze\n');
  await client.query('ANALYZE');
  await client.end();
}

/** Workspaces 2 and 3 are there: the large one, and the first of the small ones. */
async function fill(
  execute: Execute,
  series: (last: number) => string,
  { pets, orders, tenants }: TenantSizes,
): Promise<void> {
  const run = async (what: string, sql: string) => {
    const startedAt = performance.now();
    await execute(sql);
    say(`  ${what} ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`);
  };
  await run(
    'workspaces',
    `INSERT INTO workspaces (name, plan, created_at) SELECT 'shop ' || n, 'free', ${START} FROM ${series(tenants)}`,
  );
  await run(
    'categories',
    `INSERT INTO categories (workspace_id, id, name, name_key, words)
     SELECT n + 1, n, 'All', 'all', '["all"]' FROM ${series(tenants + 1)}`,
  );
  const small = (tenants * SMALL).toString();
  const owner = `CAST((n - 1) / ${SMALL} AS BIGINT) + 3`;
  const parts = [
    { owner: '2', from: 0, petOf: `1 + (n % ${pets})`, petCount: pets, orderCount: orders },
    {
      owner,
      from: Math.max(pets, orders),
      petOf: `n + ${Math.max(pets, orders)}`,
      petCount: Number(small),
      orderCount: Number(small),
    },
  ];
  for (const part of parts) await fillPart(run, series, part);
}

interface Part {
  /** SQL of the workspace of row n. */
  owner: string;
  from: number;
  /** SQL of the pet of order n. */
  petOf: string;
  petCount: number;
  orderCount: number;
}

async function fillPart(
  run: (what: string, sql: string) => Promise<void>,
  series: (last: number) => string,
  { owner, from, petOf, petCount, orderCount }: Part,
): Promise<void> {
  const id = `n + ${from}`;
  await run(
    `${petCount} pets`,
    `INSERT INTO pets (workspace_id, id, category_id, name, name_key, words, quantity, reserved, held, created_at, moved_at)
     SELECT ${owner}, ${id}, ${owner} - 1, 'Pet ' || n, 'pet ' || n, '["pet","shared"]', 100, 10, 0, ${START}, ${START}
     FROM ${series(petCount)}`,
  );
  await run(
    'their words',
    `INSERT INTO pet_words (workspace_id, word, id) SELECT ${owner}, 'shared', ${id} FROM ${series(petCount)}`,
  );
  await run(
    `${orderCount} orders`,
    `INSERT INTO orders (workspace_id, id, pet_id, quantity, ship_date, state, created_at, ended_at, reference, customer, words, customer_words)
     SELECT ${owner}, ${id}, ${petOf}, 1, CASE WHEN n % 2 = 0 THEN ${START} + n END,
       CASE WHEN n % 3 = 0 THEN 'complete' WHEN n % 3 = 1 THEN 'cancelled' ELSE 'open' END, ${START} + n,
       CASE WHEN n % 3 < 2 THEN ${START} + n END, CASE WHEN n % 2 = 0 THEN 'rare' END,
       'Shared', '["shared"]', '["shared"]' FROM ${series(orderCount)}`,
  );
  await run(
    'their words',
    `INSERT INTO order_words (workspace_id, word, id) SELECT ${owner}, 'shared', ${id} FROM ${series(orderCount)}`,
  );
  await run(
    `${orderCount} rows of the ledger`,
    `INSERT INTO movements (workspace_id, id, pet_id, cause, quantity_before, quantity_after, reserved_before,
       reserved_after, order_id, key_id, at)
     SELECT ${owner}, ${id}, ${petOf}, 'reserved', 100, 100, 9, 10, ${id}, 'bench', ${START} + n FROM ${series(orderCount)}`,
  );
}

interface Beside {
  alone: LoadResult;
  beside: LoadResult;
  large: LoadResult;
}

async function measureBeside(service: Target, [large, small]: [string, string]): Promise<Beside> {
  const client = (key: string, paths: readonly string[], secondsMax: number) =>
    load({
      ports: service.ports,
      connections: CLIENTS,
      requests: 1_000_000,
      secondsMax,
      request: (n) => get(key, paths[n % paths.length]!, n),
    });
  for (const path of WORST) await answers(service, large, path);
  await client(small, SMALL_ONES, 3);
  await client(large, WORST, 3);
  const alone = await client(small, SMALL_ONES, SECONDS);
  const [beside, huge] = await Promise.all([
    client(small, SMALL_ONES, SECONDS),
    client(large, WORST, SECONDS),
  ]);
  for (const { statuses } of [alone, beside, huge]) {
    const others = [...statuses].filter(([status]) => status !== 200);
    if (others.length > 0) throw new Error(`answers other than 200: ${others.join(' ')}`);
  }
  return { alone, beside, large: huge };
}

/** Refuses a path that the service does not know, by name. */
async function answers({ ports }: Target, key: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const url = `http://127.0.0.1:${ports[0]}/v1${path.replace('#', '1')}`;
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
}

function get(key: string, path: string, n: number): string {
  return `GET /v1${path.replace('#', String(n))} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

function rowOf(engine: string, { alone, beside, large }: Beside): string {
  const at = ({ latencies }: LoadResult, share: number) => percentile(latencies, share).toFixed(1);
  const cells = [engine, at(alone, 0.5), at(alone, 0.99), at(beside, 0.5), at(beside, 0.99)];
  return `| ${[...cells, large.latencies.length, at(large, 1)].join(' | ')} |`;
}
