// The composition root: the only file that picks SQLite or PostgreSQL, memory or Valkey. Every part that is opened is
// closed again, in the reverse order: when the service stops, and when a start fails halfway.

import { mkdirSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Datastore } from './datastore/datastore.ts';
import { MissingStore, UnusableDatabase } from './datastore/failures.ts';
import { backupSqlite } from './datastore/sqlite/backup.ts';
import { databaseFileIn, holdsStore, prepareForServing } from './datastore/sqlite/file.ts';
import { migrateSqlite } from './datastore/sqlite/migrate.ts';
import { lockForServing } from './datastore/sqlite/serving-lock.ts';
import { SqliteDatastore } from './datastore/sqlite/sqlite-datastore.ts';
import type { Timeouts } from './http/connections/http-server.ts';
import { Workload } from './http/connections/workload.ts';
import { ReadCache } from './http/read-cache.ts';
import { buildServer, type HttpServer } from './http/server.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { closedOnFailure } from './lib/closed-on-failure.ts';
import { Coalescer } from './lib/coalescer.ts';
import type { Limiter } from './limits/limiter.ts';
import { MemoryLimiter } from './limits/memory/memory-limiter.ts';
import { deprecationsOf } from './operations/deprecations.ts';
import type { Dependencies } from './operations/operation.ts';
import { operations } from './operations/operations.ts';
import { bootstrap } from './services/bootstrap.ts';
import { DailyEvents } from './services/daily-events.ts';
import { deleteExpired } from './services/delete-expired.ts';
import { EventHub } from './services/event-hub.ts';
import { EventFeed } from './services/events.ts';
import { KeyRing } from './services/key-ring.ts';
import { KeyStanding } from './services/key-standing.ts';
import { limitStoreOver } from './services/limit-store.ts';
import { OpenReaders } from './services/open-readers.ts';
import { StorageHealth } from './services/storage-health.ts';
import { UsageRecorder } from './services/usage.ts';
import { Metrics } from './telemetry/metrics.ts';

export interface RunningApp {
  /** Where it listens. */
  url: string;
  /** Whether this start found the database empty and created the first key. */
  isFirstStart: boolean;
  server: HttpServer['fastify'];
  /** From now on /readyz answers 503, so that load balancers send no more requests here. Requests are still served. */
  announceStop(): void;
  stop(): Promise<void>;
}

export interface AppOptions {
  clock?: Clock;
  workload?: Workload;
  timeouts?: Partial<Timeouts>;
  /** Shows the first key of an empty database. If it throws, the key is not kept and the start fails. */
  announceKey?: (key: string, url: string) => void;
}

/** The operating system delays connections beyond this many that arrive at the same instant by a second. */
const BACKLOG = 4_096;
const DELETE_EXPIRED_MS = 600_000;

export function startApp(
  config: Config,
  log: Logger,
  { clock = systemClock, workload = new Workload(), timeouts = {}, announceKey }: AppOptions = {},
): Promise<RunningApp> {
  return closedOnFailure(async (opened) => {
    const coalescer = new Coalescer();
    const metrics = new Metrics();

    const place = placeOf(config);
    if (!isUrl(place)) opened.defer(lockForServing(createFolder(place)));

    const storeOptions = { isServing: true, mayCreate: true, coalescer };
    const { store, readCache } = await openStoreAt(place, storeOptions);
    opened.defer(() => store.close());

    const limiter = await openLimiter(config, { store, clock, metrics, log, coalescer });
    opened.defer(() => limiter.close());

    const usage = new UsageRecorder(store, clock, (err) => log.warn({ err }, 'usage not written'));
    opened.defer(() => usage.close());

    const hub = new EventHub({
      store,
      onFailure: (err) => log.warn({ err }, 'the feed could not be read; trying again at once'),
    });
    opened.defer(() => hub.close());
    const daily = new DailyEvents({
      store,
      clock,
      deprecations: deprecationsOf(operations),
      onFailure: (err) => log.warn({ err }, 'daily events were not written; trying again'),
    });
    opened.defer(() => daily.close());
    const readers = new OpenReaders(config.PETSTORE_EVENT_STREAMS_MAX);

    const eventDays = config.PETSTORE_EVENTS_DAYS;
    opened.defer(deletePeriodically({ store, usage, clock, log, eventDays }));

    const state = { isDraining: false, readers };
    const deps = dependenciesOf(config, { store, clock, limiter, usage, hub, readers });
    const parts = {
      operations,
      store,
      storageHealth: openStorageHealth({ store, clock, metrics, log }),
      limiter,
      deps,
      readCache,
      coalescer,
      workload,
      timeouts,
      metrics,
      daily,
      log,
    };
    const isDraining = () => state.isDraining;
    const server = await buildServer({ ...httpSettings(config), ...parts, isDraining });
    opened.defer(() => server.close());
    const url = await listen(server.fastify, config);

    // After listening: a start that cannot listen must not create a key that was never shown.
    const announce = (key: string) => announceKey?.(key, url);
    const isFirstStart = await createFirstKey(store, config, { clock, announce });
    return { ...running(server, state, opened), url, isFirstStart };
  });
}

function openStorageHealth({ store, clock, metrics, log }: Omit<LimiterParts, 'coalescer'>) {
  const onClockSkew = (skewMs: number) =>
    log.warn({ skewMs }, "the clock of this node differs from the database's: synchronise both");
  const health = new StorageHealth({ store, clock, onClockSkew });
  metrics.watchClock(() => health.clockSkewMs);
  return health;
}

/** Returns whether the database was empty. A configured key is not announced. */
async function createFirstKey(
  store: Datastore,
  { PETSTORE_BOOTSTRAP_KEY: keyText }: Config,
  { clock, announce }: { clock: Clock; announce: (key: string) => void },
): Promise<boolean> {
  const chosen = keyText === undefined ? { announce } : { keyText };
  return (await bootstrap(store, { now: clock.now(), ...chosen })) !== undefined;
}

interface RunState {
  isDraining: boolean;
  readers: OpenReaders;
}

function running({ fastify }: HttpServer, state: RunState, opened: AsyncDisposable) {
  const announceStop = () => {
    state.isDraining = true;
    state.readers.stop();
  };
  const stop = async () => {
    announceStop();
    await opened[Symbol.asyncDispose]();
  };
  return { server: fastify, announceStop, stop };
}

function httpSettings(config: Config) {
  const proxies = config.PETSTORE_TRUST_PROXY;
  return {
    addressPerMinute: config.PETSTORE_ADDRESS_PER_MINUTE,
    trustProxy: proxies.length > 0 ? [...proxies] : false,
    corsOrigins: config.PETSTORE_CORS_ORIGINS,
  };
}

interface ServiceParts {
  store: Datastore;
  clock: Clock;
  usage: UsageRecorder;
}

interface DependencyParts {
  limiter: Limiter;
  hub: EventHub;
  readers: OpenReaders;
}

function dependenciesOf(
  config: Config,
  { store, clock, usage, limiter, hub, readers }: ServiceParts & DependencyParts,
): Dependencies {
  return {
    store: store.read,
    clock,
    keyRing: new KeyRing(store.read.keys, clock),
    limiter,
    usage,
    deprecations: deprecationsOf(operations),
    isSignupOpen: config.PETSTORE_SIGNUP,
    events: new EventFeed(store, hub),
    readers,
    keyStanding: new KeyStanding({ keys: store.read.keys, limiter, clock }),
  };
}

/** Deletes expired records now and from time to time. Returns the function that stops it. */
function deletePeriodically({
  store,
  usage,
  clock,
  log,
  eventDays,
}: ServiceParts & { log: Logger; eventDays: number }): () => void {
  const run = () => {
    deleteExpired({ store, usage, now: clock.now(), eventDays }).catch((err: unknown) =>
      log.warn({ err }, 'expired records were not deleted; the next attempt is in ten minutes'),
    );
  };
  run();
  const timer = setInterval(run, DELETE_EXPIRED_MS).unref();
  return () => clearInterval(timer);
}

/** Returns the URL at which the server listens. */
async function listen(server: HttpServer['fastify'], config: Config): Promise<string> {
  // For `localhost` Fastify would open a second server, on which the handlers of raw errors are missing.
  const host = config.PETSTORE_HOST === 'localhost' ? '127.0.0.1' : config.PETSTORE_HOST;
  await server.listen({ host, port: config.PETSTORE_PORT, backlog: BACKLOG });
  return urlOf(server, config.PETSTORE_HOST);
}

function urlOf(server: HttpServer['fastify'], host: string): string {
  const bound = server.server.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

export interface OpenStore {
  store: Datastore;
  /** Only for a database that this process alone changes. */
  readCache?: ReadCache;
  /** The migrations that opening it has applied. */
  applied: string[];
}

interface StoreOptions {
  /** Otherwise a command uses the store, which may work beside a service and for a long time. */
  isServing: boolean;
  /** Otherwise opening throws a MissingStore if there is none. */
  mayCreate: boolean;
  coalescer: Coalescer;
}

/** How many times longer than for a request everything may take. */
const COMMAND_PATIENCE = 600;

/** Opens the configured database for a command, with its schema up to date. Creates it if it is missing. */
export function openStore(config: Config): Promise<OpenStore> {
  return openStoreAt(placeOf(config), commandOptions({ mayCreate: true }));
}

/** Opens the configured database for a command, with its schema up to date, and throws if there is none. */
export function openExistingStore(config: Config): Promise<OpenStore> {
  return openStoreAt(placeOf(config), commandOptions({ mayCreate: false }));
}

/** Opens the database at a data folder or a URL for a command that no service may run beside. */
export function openStoreAlone(
  place: string,
  { mayCreate = true } = {},
): Promise<OpenStore & AsyncDisposable> {
  return closedOnFailure(async (opened) => {
    if (!isUrl(place)) {
      const folder = mayCreate ? createFolder(place) : existingFolder(place);
      opened.defer(lockForServing(folder));
    }
    const { store, applied } = await openStoreAt(place, commandOptions({ mayCreate }));
    opened.defer(() => store.close());
    return { store, applied, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  });
}

/** Copies the configured database into a new file. */
export function backupStore(config: Config, to: string): void {
  const place = placeOf(config);
  if (isUrl(place)) {
    throw new UnusableDatabase('backup copies SQLite; use pg_dump or pg_basebackup for PostgreSQL');
  }
  backupSqlite(databaseFileIn(resolve(place)), to);
}

function commandOptions({ mayCreate }: { mayCreate: boolean }): StoreOptions {
  return { isServing: false, mayCreate, coalescer: new Coalescer() };
}

function openStoreAt(place: string, options: StoreOptions): Promise<OpenStore> {
  return isUrl(place) ? openPostgres(place, options) : openSqlite(place, options);
}

async function openSqlite(
  place: string,
  { isServing, mayCreate, coalescer }: StoreOptions,
): Promise<OpenStore> {
  const folder = mayCreate ? createFolder(place) : existingFolder(place);
  const file = databaseFileIn(folder);
  const applied = migrateSqlite(file);
  if (isServing) prepareForServing(file);
  const store = new SqliteDatastore(file, coalescer);
  return { store, applied, readCache: new ReadCache(store.foreignChanges) };
}

/** The driver is loaded on demand: a node on SQLite starts sooner and smaller without it. */
async function openPostgres(
  url: string,
  { isServing, mayCreate, coalescer }: StoreOptions,
): Promise<OpenStore> {
  const { migratePostgres } = await import('./datastore/postgres/migrate.ts');
  const { PostgresDatastore } = await import('./datastore/postgres/postgres-datastore.ts');
  const applied = await migratePostgres(url, { mayCreate });
  const patience = isServing ? 1 : COMMAND_PATIENCE;
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
  const common = { store: limitStoreOver(store), clock, policy, onStoreFailure };
  const url = config.PETSTORE_VALKEY_URL;
  if (url === undefined) return new MemoryLimiter(common);
  const { ValkeyLimiter } = await import('./limits/valkey/valkey-limiter.ts');
  const limiter = new ValkeyLimiter({ ...common, url, coalescer, onStoreRecovery });
  metrics.watchLimiter(() => limiter.isShared);
  await limiter.ready();
  return limiter;
}

/** Where the configured database is: a data folder, or the URL of a PostgreSQL database. */
function placeOf(config: Config): string {
  return config.PETSTORE_DATABASE_URL ?? config.PETSTORE_DATA_DIR;
}

function isUrl(place: string): boolean {
  return /^postgres(ql)?:/.test(place);
}

/** Returns the folder, which holds a store. */
function existingFolder(place: string): string {
  const folder = resolve(place);
  const file = databaseFileIn(folder);
  if (!holdsStore(file)) throw new MissingStore(file);
  return folder;
}

/** Returns the folder. Creates it if it is missing. */
function createFolder(place: string): string {
  const folder = resolve(place);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
