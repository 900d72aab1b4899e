// The composition root: the only file that picks SQLite or PostgreSQL, memory or Valkey.

import { mkdirSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Datastore } from './datastore/datastore.ts';
import { UnusableDatabase } from './datastore/failures.ts';
import { lockForServing } from './datastore/sqlite/serving-lock.ts';
import {
  backupSqlite,
  migrateSqlite,
  SqliteDatastore,
} from './datastore/sqlite/sqlite-datastore.ts';
import { Workload } from './http/connections/workload.ts';
import { ReadCache } from './http/read-cache.ts';
import { deprecationsOf } from './http/response/lifecycle-headers.ts';
import { buildServer, type HttpServer } from './http/server.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { Coalescer } from './lib/coalescer.ts';
import type { Limiter } from './limits/limiter.ts';
import { MemoryLimiter } from './limits/memory/memory-limiter.ts';
import { operations } from './operations/operations.ts';
import { bootstrap } from './services/bootstrap.ts';
import { KeyRing } from './services/key-ring.ts';
import { limitStoreOver } from './services/limit-store.ts';
import { UsageRecorder } from './services/usage.ts';
import { Metrics } from './telemetry/metrics.ts';

export interface RunningApp {
  address: string;
  /** Set when this start created the database's first key. */
  firstKey: string | undefined;
  server: HttpServer;
  /** From now on /readyz says 503, so that a balancer turns elsewhere; requests are still taken. */
  announceStop(): void;
  stop(): Promise<void>;
}

export interface OpenStore {
  store: Datastore;
  /** Only for a database that this process alone changes. */
  readCache?: ReadCache;
  /** The migrations that opening it has applied. */
  applied: string[];
}

interface StoreOptions {
  /** How many times longer than a request everything may take. */
  patience: number;
  coalescer: Coalescer;
}

/** Parts of a running service that tests replace. */
export interface AppParts {
  clock: Clock;
  workload: Workload;
}

/** Of those who connect at the same instant, more than this are made to wait a second by the system. */
const BACKLOG = 4_096;
const DRAIN_MS = 8_000;
const TIDY_MS = 600_000;
const PATIENT = 600;

/** Opens the configured database, with its schema up to date, for commands that may take their time. */
export function openStore(
  config: Config,
  { patience, coalescer }: StoreOptions = { patience: PATIENT, coalescer: new Coalescer() },
): Promise<OpenStore> {
  return config.PETSTORE_DATABASE_URL === undefined
    ? openSqlite(dataFolder(config.PETSTORE_DATA_DIR), coalescer)
    : openPostgres(config.PETSTORE_DATABASE_URL, { patience, coalescer });
}

/** Opens a database by its place, a data folder or a URL, for as long as nobody serves from it. */
export async function openStoreAt(place: string): Promise<OpenStore & { close(): Promise<void> }> {
  const isUrl = /^postgres(ql)?:/.test(place);
  const unlock = isUrl ? () => undefined : lockForServing(dataFolder(place));
  const options = { patience: PATIENT, coalescer: new Coalescer() };
  const opened = await (isUrl
    ? openPostgres(place, options)
    : openSqlite(dataFolder(place), options.coalescer));
  const close = async () => {
    await opened.store.close();
    unlock();
  };
  return { ...opened, close };
}

/** Copies the configured database into a new file. */
export function backupStore(config: Config, to: string): void {
  if (config.PETSTORE_DATABASE_URL !== undefined) {
    throw new UnusableDatabase('backup copies SQLite; use pg_dump or pg_basebackup for PostgreSQL');
  }
  backupSqlite(databaseFile(dataFolder(config.PETSTORE_DATA_DIR)), to);
}

export async function startApp(
  config: Config,
  log: Logger,
  { clock = systemClock, workload = new Workload() }: Partial<AppParts> = {},
): Promise<RunningApp> {
  const isShared = config.PETSTORE_DATABASE_URL !== undefined;
  const unlock = isShared ? () => undefined : lockForServing(dataFolder(config.PETSTORE_DATA_DIR));
  const coalescer = new Coalescer();
  const { store, readCache } = await openStore(config, { patience: 1, coalescer });
  const metrics = new Metrics();
  const limiter = await openLimiter(config, { store, clock, metrics, log, coalescer });
  const firstKey = await bootstrap(store, config.PETSTORE_BOOTSTRAP_KEY, clock.now());
  const keyRing = new KeyRing(store.read.keys, clock);
  const usage = new UsageRecorder(store, clock, (err) => log.warn({ err }, 'usage not written'));
  const tidying = setInterval(() => void tidy(store, usage, clock, log), TIDY_MS).unref();
  let isDraining = false;
  const server = await buildServer({
    operations,
    store,
    limiter,
    deps: {
      store: store.read,
      clock,
      keyRing,
      limiter,
      usage,
      deprecations: deprecationsOf(operations),
      isSignupOpen: config.PETSTORE_SIGNUP,
    },
    log,
    metrics,
    coalescer,
    workload,
    readCache,
    addressPerMinute: config.PETSTORE_ADDRESS_PER_MINUTE,
    trustProxy: config.PETSTORE_TRUST_PROXY.length > 0 ? [...config.PETSTORE_TRUST_PROXY] : false,
    corsOrigins: config.PETSTORE_CORS_ORIGINS,
    isDraining: () => isDraining,
  });
  // For `localhost` the framework would open a second server, which knows nothing of raw answers.
  const host = config.PETSTORE_HOST === 'localhost' ? '127.0.0.1' : config.PETSTORE_HOST;
  await server.listen({ host, port: config.PETSTORE_PORT, backlog: BACKLOG });

  return {
    address: addressOf(server, config.PETSTORE_HOST),
    firstKey,
    server,
    announceStop: () => {
      isDraining = true;
    },
    stop: async () => {
      isDraining = true;
      clearInterval(tidying);
      await drain(server);
      await usage.close();
      await limiter.close();
      await store.close();
      unlock();
    },
  };
}

/** Answers every request whose head was read, then closes; connections still open after a while are cut. */
async function drain(server: HttpServer): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), DRAIN_MS);
  // The framework comes second: while it closes it calls every answer the last on its connection.
  await new Promise((resolve) => server.server.close(resolve));
  await server.close();
  clearTimeout(cut);
}

/** Throws away what nobody may ask for any more. */
async function tidy(store: Datastore, usage: UsageRecorder, clock: Clock, log: Logger) {
  try {
    await store.transact((tx) => tx.idempotency.forgetOld(clock.now()));
    await usage.forgetOld();
    await store.tidy?.();
  } catch (err) {
    log.warn({ err }, 'old records were not thrown away; trying again later');
  }
}

async function openSqlite(folder: string, coalescer: Coalescer): Promise<OpenStore> {
  const file = databaseFile(folder);
  const applied = migrateSqlite(file);
  const store = new SqliteDatastore(file, coalescer);
  return { store, applied, readCache: new ReadCache(store.foreignChanges) };
}

/** Loaded only where it is used: a node on SQLite neither waits for it nor carries it. */
async function openPostgres(
  url: string,
  { patience, coalescer }: StoreOptions,
): Promise<OpenStore> {
  const { migratePostgres } = await import('./datastore/postgres/migrate.ts');
  const { PostgresDatastore } = await import('./datastore/postgres/postgres-datastore.ts');
  const applied = await migratePostgres(url);
  return { store: new PostgresDatastore(url, coalescer, { patience }), applied };
}

interface LimiterParts {
  store: Datastore;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  coalescer: Coalescer;
}

async function openLimiter(
  config: Config,
  { store, clock, metrics, log, coalescer }: LimiterParts,
): Promise<Limiter> {
  const onStoreFailure = (err: unknown) => {
    metrics.countLimiterFailure();
    log.warn({ err }, 'the limiter cannot reach its store: this node counts by itself meanwhile');
  };
  const onStoreRecovery = () => log.info('the limiter shares its counts again');
  const policy = {
    refusalsToBan: config.PETSTORE_BAN_AFTER,
    ladderMs: config.PETSTORE_BAN_LADDER_SECONDS.map((seconds) => seconds * 1000),
  };
  const kept = limitStoreOver(store);
  const url = config.PETSTORE_VALKEY_URL;
  if (url === undefined) return new MemoryLimiter({ store: kept, clock, policy, onStoreFailure });
  const { ValkeyLimiter } = await import('./limits/valkey/valkey-limiter.ts');
  const limiter = new ValkeyLimiter({
    url,
    coalescer,
    store: kept,
    clock,
    policy,
    onStoreFailure,
    onStoreRecovery,
  });
  metrics.watchLimiter(() => limiter.isShared);
  await limiter.ready();
  return limiter;
}

function dataFolder(place: string): string {
  const folder = resolve(place);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function databaseFile(folder: string): string {
  return `${folder}/petstore.db`;
}

function addressOf(server: HttpServer, host: string): string {
  const bound = server.server.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
