import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { hostOf } from '../../lib/network/host-list.ts';
import {
  MissingStore,
  OutdatedStore,
  reasonOf,
  StorageUnavailable,
  UnusableDatabase,
} from '../failures.ts';
import { type Dialect, type Migration, pendingMigrations, sqlOf } from '../migrations.ts';
import { CREATE_MARKERS, deleteOldMarkers } from './commit-markers.ts';
import { remedyOf } from './failures.ts';
import { PrimaryServer } from './primary.ts';
import { type Pooling, refuseTransactionPooling } from './session.ts';

export const postgresDialect: Dialect = {
  // A sequence, not an identity: a table that is partitioned by workspace cannot have one before PostgreSQL 17.
  id: 'BIGSERIAL NOT NULL',
  directory_id: 'BIGSERIAL PRIMARY KEY',
  int: 'BIGINT',
  // Compares bytes of UTF-8, that is code points.
  text: 'TEXT COLLATE "C"',
  key: 'PRIMARY KEY (workspace_id, id)',
  rows: '',
  sorted: '',
  // Drawn one by one: the order of the feed rests on it.
  arrival: 'BIGSERIAL NOT NULL',
  and_id: ', id',
};
/**
 * The time on which all nodes agree, in epoch milliseconds: the server's, whatever the clock of the node says. It is
 * stable within a statement, so it can be compared with an index.
 */
const CREATE_SHARED_NOW = `CREATE OR REPLACE FUNCTION shared_now(node_now BIGINT) RETURNS BIGINT
  LANGUAGE sql STABLE AS 'SELECT CAST(extract(epoch FROM statement_timestamp()) * 1000 AS BIGINT)'`;
const OLDEST_SERVER = 140_000;
const CONNECT_MS = 5_000;
/** An arbitrary number that must never change: nodes of other versions take the same lock. */
const MIGRATION_LOCK = 7_236_187_401;
/** Below the server's deadlock_timeout of one second, so that the migration gives up before a serving node has to. */
const LOCK_WAIT_MS = 500;
const RETRY_MS = 500;
const ATTEMPTS_MAX = 30;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

interface MigrateOptions {
  mayCreate?: boolean;
  /** If not, a store that is not up to date is refused with an OutdatedStore. */
  mayUpgrade?: boolean;
  pooling?: Pooling;
}

/**
 * Brings the schema up to date, in a transaction for each migration, and returns the names of those that it applied. Of
 * many nodes that start at once, one applies a migration and the others wait for it.
 */
export async function migratePostgres(
  url: string,
  { mayCreate = true, mayUpgrade = true, pooling = 'session' }: MigrateOptions = {},
): Promise<string[]> {
  const primary = new PrimaryServer(url);
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client({
      connectionString: primary.url,
      application_name: 'petstore migrate',
      connectionTimeoutMillis: CONNECT_MS,
    });
    client.on('error', () => {});
    clients.push(client);
    await client.connect();
    return client;
  };
  try {
    if (primary.isOneOfMany) await primary.find();
    const client = await connect();
    await refuseUnfitServer(client, primary);
    if (pooling === 'session') await refuseTransactionPooling(client, await connect());
    const isNew = await isStoreMissing(client);
    if (isNew && !mayCreate) throw new MissingStore(withoutPassword(primary.url));
    if (!isNew && !mayUpgrade) return await refusePending(client);
    const applied: string[] = [];
    for (;;) {
      const migration = await retryLockedOut(() => applyNext(client));
      if (!migration) return applied;
      applied.push(migration.name);
    }
  } catch (err) {
    throw startFailure(err, primary.url);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/** Applies the oldest migration that is pending and returns it; undefined if there is none. */
async function applyNext(client: pg.Client): Promise<Migration | undefined> {
  try {
    await client.query("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'");
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(`SET LOCAL lock_timeout = '${LOCK_WAIT_MS}ms'`);
    await openHistory(client);
    const migration = pendingMigrations(await readHistory(client))[0];
    if (migration) {
      await client.query(sqlOf(migration, postgresDialect));
      await record(client, migration);
    }
    await client.query('COMMIT');
    return migration;
  } catch (err) {
    await client.query('ROLLBACK').catch(() => {});
    throw err;
  }
}

/** Runs `attempt` again, for about half a minute, while other transactions hold the locks that it needs. */
async function retryLockedOut<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (err) {
      const code = err instanceof pg.DatabaseError ? err.code : undefined;
      const isLockedOut = code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED;
      if (!isLockedOut || attempts >= ATTEMPTS_MAX) throw err;
      await pause(RETRY_MS);
    }
  }
}

async function readHistory(client: pg.Client): Promise<(readonly [number, string])[]> {
  const { rows } = await client.query<[string, string]>({
    text: 'SELECT version, checksum FROM schema_migrations',
    rowMode: 'array',
  });
  return rows.map(([version, checksum]) => [Number(version), checksum]);
}

async function record(client: pg.Client, migration: Migration): Promise<void> {
  const { version, name, checksum } = migration;
  const values = [version, name, checksum, Date.now()];
  await client.query('INSERT INTO schema_migrations VALUES ($1, $2, $3, $4)', values);
}

/** A database of another program is refused, never built upon. */
async function openHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
  );
  const isOurs = rows.some(({ name }) => name === 'schema_migrations');
  if (rows.length > 0 && !isOurs) {
    throw new UnusableDatabase(
      'the database belongs to another program and was not changed; create one for petstore alone',
    );
  }
  if (!isOurs) {
    await client.query(`CREATE TABLE schema_migrations (
      version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL
    )`);
    await client.query(CREATE_MARKERS);
    await client.query(CREATE_SHARED_NOW);
  }
  const { text, values } = deleteOldMarkers(Date.now());
  await client.query(text, [...values]);
}

async function isStoreMissing(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass('schema_migrations') AS history");
  return rows[0]?.history === null;
}

async function refusePending(client: pg.Client): Promise<[]> {
  const pending = pendingMigrations(await readHistory(client));
  if (pending.length > 0) throw new OutdatedStore(pending.length);
  return [];
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  url.searchParams.delete('password');
  return url.href;
}

async function refuseUnfitServer(client: pg.Client, { url }: PrimaryServer): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string; isStandby: boolean }>(
    `SELECT current_setting('server_version_num') AS version, pg_is_in_recovery() AS "isStandby",
            current_setting('server_encoding') AS encoding`,
  );
  const { version, encoding, isStandby } = rows[0]!;
  if (isStandby) {
    throw new UnusableDatabase(
      `the server at ${hostOf(url)} is in recovery: name the primary in PETSTORE_DATABASE_URL, or all servers`,
    );
  }
  if (Number(version) < OLDEST_SERVER) {
    throw new UnusableDatabase('the server is older than PostgreSQL 14: upgrade it');
  }
  if (encoding !== 'UTF8') {
    throw new UnusableDatabase(`the database is encoded in ${encoding}: create it with UTF8`);
  }
}

/** A server that is unreachable may come back. One that refuses this program, or holds other data, will not change. */
function startFailure(err: unknown, url: string): Error {
  if (err instanceof UnusableDatabase || err instanceof StorageUnavailable) return err;
  const remedy = remedyOf(err);
  if (remedy) {
    return new UnusableDatabase(`${hostOf(url)}: ${(err as Error).message}: ${remedy}`);
  }
  const isAnswer = err instanceof pg.DatabaseError && !/^(08|40|53|55|57)/.test(err.code ?? '');
  if (isAnswer) return new UnusableDatabase(`the database cannot be used: ${err.message}`);
  if (err instanceof pg.DatabaseError) return new StorageUnavailable(err);
  const advice = 'check that PostgreSQL runs there and can be reached from this machine';
  return new StorageUnavailable(`${hostOf(url)}: ${reasonOf(err)}: ${advice}`);
}
