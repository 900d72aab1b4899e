// Picks the database: SQLite in a data folder, or PostgreSQL at a URL.

import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import type { ChangeCounts, Datastore } from './datastore/datastore.ts';
import { MissingStore, UnusableDatabase } from './datastore/failures.ts';
import type { ServerFacts } from './datastore/postgres/inspect.ts';
import {
  backupSqlite,
  erasedIn,
  inspectCopy,
  type Restoring,
  reconcileCopy,
  restoreSqlite,
} from './datastore/sqlite/backup.ts';
import { databaseFileIn, holdsStore, prepareForServing } from './datastore/sqlite/file.ts';
import { migrateSqlite } from './datastore/sqlite/migrate.ts';
import { lockForServing } from './datastore/sqlite/serving-lock.ts';
import { SqliteDatastore } from './datastore/sqlite/sqlite-datastore.ts';
import { readErased } from './lib/backup-files.ts';
import { closedOnFailure } from './lib/closed-on-failure.ts';
import { Coalescer } from './lib/coalescer.ts';
import { makeFolder } from './lib/folders.ts';
import { urlsOfHosts } from './lib/network/host-list.ts';
import { tlsFileFault } from './lib/network/tls-files.ts';

interface OpenStore {
  store: Datastore;
  /** Undefined where changes cannot be counted. */
  changes?: ChangeCounts;
  /** The migrations that opening it has applied. */
  applied: string[];
}

interface StoreOptions {
  /** True for a service, false for a command. A command may run beside a service, and for a long time. */
  isServing: boolean;
  /** Whether a missing store is created. If not, opening throws a MissingStore. */
  mayCreate: boolean;
  /** Whether a store of an older version is brought up to date. If not, opening throws an OutdatedStore. */
  mayUpgrade: boolean;
  coalescer: Coalescer;
  /** Multiplies the timeouts of a service on PostgreSQL; 1 if absent. */
  timeoutFactor?: number;
  /** Of PostgreSQL. */
  pooling?: Config['PETSTORE_DATABASE_POOLING'];
  /** How many connections to PostgreSQL a service opens. */
  connections?: number;
}

/** A command may process a whole store. */
const COMMAND_TIMEOUT_FACTOR = 600;

/** Opens the configured database for a service, with its schema up to date. Creates it if it is missing. */
export function openStoreForServing(
  config: Config,
  options: Pick<StoreOptions, 'coalescer' | 'timeoutFactor'>,
): Promise<OpenStore & AsyncDisposable> {
  const may = { mayCreate: true, mayUpgrade: true };
  const common = { isServing: true, ...may, ...databaseOptions(config) };
  return openLocked(placeOf(config), { ...common, ...options });
}

/** Opens the configured database for a command, with its schema up to date. Creates it if it is missing. */
export function openStore(config: Config): Promise<OpenStore> {
  const common = { ...commandOptions({ mayCreate: true }), ...databaseOptions(config) };
  const options = { ...common, mayUpgrade: true };
  return openStoreAt(placeOf(config), options);
}

/** Opens the configured database for a command. Throws if there is none, or if its schema is not up to date. */
export function openExistingStore(config: Config): Promise<OpenStore> {
  const common = { ...commandOptions({ mayCreate: false }), ...databaseOptions(config) };
  return openStoreAt(placeOf(config), common);
}

/**
 * Opens a database for a command that must not run beside a service. Only a data folder is locked; at a URL the operator
 * must stop the nodes.
 */
export function openStoreAlone(
  place: string,
  { mayCreate = true } = {},
): Promise<OpenStore & AsyncDisposable> {
  return openLocked(place, commandOptions({ mayCreate }));
}

/** Opens a database. A data folder stays locked until the store is disposed of. */
function openLocked(place: string, options: StoreOptions): Promise<OpenStore & AsyncDisposable> {
  return closedOnFailure(async (opened) => {
    if (!isUrl(place)) {
      const folder = options.mayCreate ? createFolder(place) : existingFolder(place);
      opened.defer(lockForServing(folder));
    }
    const open = await openStoreAt(place, options);
    opened.defer(() => open.store.close());
    return { ...open, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  });
}

/** Copies the configured database into a new file. Calls `onStart` once nothing refuses it. */
export function backupStore(config: Config, to: string, onStart: () => void): void {
  refusePostgres(
    config,
    'backup copies SQLite; use pg_dump, or pg_basebackup with archived WAL, for PostgreSQL (docs/backups.md)',
  );
  backupSqlite(databaseFileIn(resolve(config.PETSTORE_DATA_DIR)), to, onStart);
}

/** A copy that `backupStore` made. Only SQLite has them. */
export const sqliteCopies = {
  inspect: inspectCopy,
  reconcile: reconcileCopy,
  erased: erasedIn,
  /** The workspaces of the list beside a copy. */
  erasedBeside: (copy: string) => {
    try {
      return readErased(copy);
    } catch {
      throw new UnusableDatabase(`the list of erased workspaces beside ${copy} cannot be read`);
    }
  },
  /** Puts a copy into a folder that is empty or does not exist yet. */
  restore: (copy: string, place: string, restoring: Restoring) => {
    const folder = createFolder(place);
    const [found] = readdirSync(folder);
    if (found !== undefined) {
      throw new UnusableDatabase(`${folder} is not empty (${found}); nothing was changed in it`);
    }
    return restoreSqlite(copy, folder, restoring);
  },
};

/** Refuses a command that is about files of SQLite. */
export function refusePostgres(config: Config, refusal: string): void {
  if (config.PETSTORE_DATABASE_URL !== undefined) throw new UnusableDatabase(refusal);
}

/** What the server of PostgreSQL says about itself; undefined with SQLite. Throws if it cannot be used. */
export async function inspectServer(config: Config): Promise<ServerFacts | undefined> {
  const url = config.PETSTORE_DATABASE_URL;
  if (url === undefined) return undefined;
  refuseTlsFiles(url);
  const { inspectPostgres } = await import('./datastore/postgres/inspect.ts');
  return inspectPostgres(url);
}

function databaseOptions(config: Config): Pick<StoreOptions, 'pooling' | 'connections'> {
  const { PETSTORE_DATABASE_POOLING: pooling, PETSTORE_DATABASE_CONNECTIONS: connections } = config;
  return { pooling, connections };
}

function commandOptions({ mayCreate }: { mayCreate: boolean }): StoreOptions {
  return { isServing: false, mayCreate, mayUpgrade: false, coalescer: new Coalescer() };
}

function openStoreAt(place: string, options: StoreOptions): Promise<OpenStore> {
  return isUrl(place) ? openPostgres(place, options) : openSqlite(place, options);
}

async function openSqlite(
  place: string,
  { isServing, mayCreate, mayUpgrade, coalescer }: StoreOptions,
): Promise<OpenStore> {
  const folder = mayCreate ? createFolder(place) : existingFolder(place);
  const file = databaseFileIn(folder);
  const applied = migrateSqlite(file, { mayUpgrade });
  if (isServing) prepareForServing(file);
  const store = new SqliteDatastore(file, coalescer);
  return { store, applied, changes: store.changes };
}

/** The driver is loaded on demand: a node on SQLite starts sooner and smaller without it. */
async function openPostgres(url: string, options: StoreOptions): Promise<OpenStore> {
  const { isServing, mayCreate, mayUpgrade, coalescer, timeoutFactor = 1 } = options;
  const { pooling = 'session', connections } = options;
  refuseTlsFiles(url);
  const { migratePostgres } = await import('./datastore/postgres/migrate.ts');
  const { connectionsOf, PostgresDatastore } = await import(
    './datastore/postgres/postgres-datastore.ts'
  );
  const applied = await migratePostgres(url, { mayCreate, mayUpgrade, pooling });
  const settings = {
    pooling,
    ...(connections ? { connections: connectionsOf(connections) } : {}),
    ...(isServing ? { timeoutFactor } : { timeoutFactor: COMMAND_TIMEOUT_FACTOR, mayScan: true }),
  };
  return { store: new PostgresDatastore(url, coalescer, settings), applied };
}

/** The parameters are the same for all servers of the URL. */
function refuseTlsFiles(url: string): void {
  const { searchParams } = new URL(urlsOfHosts(url)[0]!);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name);
    const kind = name === 'sslkey' ? 'key' : 'certificate';
    const fault = file && tlsFileFault(`${name} in PETSTORE_DATABASE_URL`, file, kind);
    if (fault) throw new UnusableDatabase(fault);
  }
}

/** Where the configured database is: a data folder, or the URL of a PostgreSQL database. */
function placeOf(config: Config): string {
  return config.PETSTORE_DATABASE_URL ?? config.PETSTORE_DATA_DIR;
}

/** Throws for a URL that is none of PostgreSQL: it would be taken for the path of a folder. */
function isUrl(place: string): boolean {
  if (!/^([a-z][\w+.-]*:\/\/|postgres(ql)?:)/i.test(place)) return false;
  if (/^postgres(ql)?:\/\//i.test(place) && urlsOfHosts(place).every((url) => URL.canParse(url)))
    return true;
  // It may contain a password, so it is not shown.
  throw new UnusableDatabase(
    'a database is a folder, or a URL like postgres://user@host:5432/name',
  );
}

/** Returns the folder. Throws a MissingStore if it holds no store. */
function existingFolder(place: string): string {
  const folder = resolve(place);
  const file = databaseFileIn(folder);
  if (!holdsStore(file)) throw new MissingStore(file);
  return folder;
}

/** Returns the folder. Creates it if it is missing. */
function createFolder(place: string): string {
  const folder = resolve(place);
  makeFolder(folder);
  return folder;
}
