// What `petstore server doctor` looks at. It changes nothing. Each check returns one line.

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, InvalidConfig, readConfig } from '../config.ts';
import { probeValkey } from '../configured-limiter.ts';
import { openSecrets } from '../configured-webhooks.ts';
import type { Datastore } from '../datastore/datastore.ts';
import { MissingStore, OutdatedStore, StorageUnavailable } from '../datastore/failures.ts';
import { DAY_MS, HOUR_MS } from '../domain/durations.ts';
import { lastBackupAt } from '../lib/backup-files.ts';
import { CLOCK_SKEW_MAX_MS, type Clock, systemClock } from '../lib/clock.ts';
import { formatInstant } from '../lib/instant.ts';
import { parseRange } from '../lib/network/address-range.ts';
import { clockSkewMs } from '../services/storage-health.ts';
import { inspectServer, openExistingStore } from '../stores.ts';
import type { Run } from './command.ts';

/** `warning`: it serves, but look at it. */
interface Finding {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  /** What was found and, unless it is ok, what to do. */
  message: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Ranges with fewer bits let a large part of the internet choose its address. */
const PROXY_BITS_MIN = 8;
const CLOCK_WARN_MS = 2_000;
/** Connections of a server that are left for its administrator and its other clients. */
const CONNECTIONS_LEFT = 10;

const GIGABYTE = 1e9;
/** Below this the next growth of the log or of the database may not fit. */
const FREE_BYTES_MIN = 200e6;
const FREE_SHARE_MIN = 0.1;
/** A nightly backup that was missed once. */
const BACKUP_AGE_MAX_MS = 2 * DAY_MS;
/** The files of a data folder that hold data or secrets. */
const PRIVATE_FILES = ['petstore.db', 'petstore.db-wal', 'secret.key'];
const CLOCK_BEHIND_MAX_MS = 60_000;

/** Returns 1 if anything has failed. A warning is no failure. */
export const doctor: Run = async ({ print }) => {
  const findings = await examine(process.env, systemClock);
  const lines = findings.map(
    ({ name, state, message }) => `${state.padEnd(8)} ${name.padEnd(9)} ${message}`,
  );
  print(findings, lines);
  return findings.some(({ state }) => state === 'failed') ? 1 : 0;
};

export async function examine(environment: Environment, clock: Clock): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (err) {
    if (!(err instanceof InvalidConfig)) throw err;
    return err.faults.map((fault) => failed('settings', fault));
  }
  const findings = [ok('settings', 'valid')];
  const isLocal = config.PETSTORE_DATABASE_URL === undefined;
  const folder = resolve(config.PETSTORE_DATA_DIR);
  if (isLocal && existsSync(folder)) {
    findings.push(await tried('disk', () => diskFinding(freeSpace(folder))));
    findings.push(await tried('files', () => filesFinding(folder)));
  }
  findings.push(...(await examineStore(config, clock)));
  findings.push(await tried('proxies', () => proxiesFinding(config)));
  if (isLocal) findings.push(await tried('backup', () => backupFinding(folder, clock.now())));
  else findings.push(ok('backup', 'see that of PostgreSQL; it is not known here'));
  return findings;
}

/** The finding of a check; a failure if it throws. */
async function tried(name: string, check: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (err) {
    return failed(name, reasonOf(err));
  }
}

/** What needs an open database. */
async function examineStore(config: Config, clock: Clock): Promise<Finding[]> {
  const findings = [await tried('database', () => databaseFinding(config).catch(unreachable))];
  let store: Datastore;
  try {
    ({ store } = await openExistingStore(config));
  } catch (err) {
    const isSchema = err instanceof OutdatedStore;
    if (isSchema || findings[0]?.state === 'ok') {
      findings.push(failed(isSchema ? 'schema' : 'database', reasonOf(err)));
    }
    return findings;
  }
  try {
    findings.push(ok('schema', 'of this version'));
    findings.push(await tried('clock', () => clockFinding(config, store, clock)));
    findings.push(await tried('ledger', () => ledgerFinding(store, clock.now())));
    findings.push(await tried('valkey', () => valkeyFinding(config)));
    findings.push(await tried('secrets', () => secretsFinding(config, store, clock)));
  } finally {
    await store.close();
  }
  return findings;
}

async function databaseFinding(config: Config): Promise<Finding> {
  const server = await inspectServer(config);
  if (!server) return ok('database', 'SQLite');
  const { version, max, used, nodes } = server;
  const found = `PostgreSQL ${version}, primary, ${used} of ${max} connections used`;
  const needed = config.PETSTORE_DATABASE_CONNECTIONS * Math.max(1, nodes) + CONNECTIONS_LEFT;
  if (max >= needed) return ok('database', found);
  return warning(
    'database',
    `${found}; ${Math.max(1, nodes)} nodes need ${needed}: raise max_connections, or lower PETSTORE_DATABASE_CONNECTIONS`,
  );
}

function unreachable(err: unknown): never {
  if (!(err instanceof StorageUnavailable)) throw err;
  const what = 'check PETSTORE_DATABASE_URL, and that a server of it runs and can be reached';
  throw new Error(`${err.message}: ${what}`);
}

async function clockFinding(config: Config, store: Datastore, clock: Clock): Promise<Finding> {
  const before = clock.now();
  const databaseNow = await store.ping(before);
  if (databaseNow === undefined) {
    return machineClockFinding(join(resolve(config.PETSTORE_DATA_DIR), 'petstore.db'), before);
  }
  const skewMs = clockSkewMs(databaseNow, before, clock.now());
  const found = `${skewMs / 1000} s ahead of the database's`;
  if (Math.abs(skewMs) > CLOCK_SKEW_MAX_MS) {
    return failed('clock', `${found}: synchronise both with NTP; a node does not serve like this`);
  }
  return Math.abs(skewMs) > CLOCK_WARN_MS
    ? warning('clock', `${found}: synchronise both with NTP`)
    : ok('clock', found);
}

/** Rows that are ahead were written while a clock was. Counts do not follow from times, so none of them is wrong. */
async function ledgerFinding(store: Datastore, now: number): Promise<Finding> {
  const newest = await store.read.ledger.newest();
  const aheadMs = newest ? newest.at - now : 0;
  if (aheadMs <= CLOCK_SKEW_MAX_MS) return ok('ledger', 'not ahead of the clock');
  const { workspaceId, at } = newest!;
  const found = `the newest row of workspace ${workspaceId} is of ${formatInstant(at)}, ${Math.round(aheadMs / 1000)} s ahead of the clock`;
  return warning(
    'ledger',
    `${found}: synchronise the clock with NTP; if it was ahead and is right now, wait until then: counts are right, stock as of a moment is not`,
  );
}

async function valkeyFinding(config: Config): Promise<Finding> {
  if (config.PETSTORE_VALKEY_URL !== undefined) {
    const { isShared, topology } = await probeValkey(config.PETSTORE_VALKEY_URL);
    if (isShared) return ok('valkey', `answers (${topology})`);
    return failed('valkey', 'does not answer: check the servers of PETSTORE_VALKEY_URL');
  }
  const nodes = (await inspectServer(config))?.nodes ?? 1;
  if (nodes < 2) return ok('valkey', 'not set; one node needs none');
  return failed('valkey', `${nodes} nodes and none is set: set PETSTORE_VALKEY_URL on all`);
}

function proxiesFinding({ PETSTORE_TRUST_PROXY: ranges, PETSTORE_HOST: host }: Config): Finding {
  const wide = ranges.find((range) => parseRange(range)[1] < PROXY_BITS_MIN);
  if (wide !== undefined) {
    return failed('proxies', `${wide} is wide: list the addresses of the proxies alone`);
  }
  const isOpen = !/^(127\.|localhost$|::1$)/.test(host);
  if (ranges.length > 0) return ok('proxies', `${ranges.length} trusted`);
  return isOpen
    ? warning('proxies', 'none is trusted: if there is one, list it in PETSTORE_TRUST_PROXY')
    : ok('proxies', 'none is trusted, and only this machine is served');
}

/** Never creates a key. Without one no secret can be opened. */
async function secretsFinding(config: Config, store: Datastore, clock: Clock): Promise<Finding> {
  const file = join(resolve(config.PETSTORE_DATA_DIR), 'secret.key');
  const isLocal = config.PETSTORE_DATABASE_URL === undefined;
  if (config.PETSTORE_SECRET_KEY.length === 0 && !(isLocal && existsSync(file))) {
    const hasSecrets = (await store.read.webhooks.sealNames(1, clock.now())).length > 0;
    const source = isLocal ? `put secret.key back as ${file}` : 'set PETSTORE_SECRET_KEY';
    if (hasSecrets)
      return failed('secrets', `webhooks have secrets and there is no key: ${source}`);
    return ok('secrets', isLocal ? 'the first start makes a key' : 'no key, so no webhooks');
  }
  await openSecrets(config, { store, clock });
  return ok('secrets', 'the key opens the secrets of all webhooks');
}

function reasonOf(err: unknown): string {
  if (err instanceof MissingStore) return err.message;
  return (err instanceof Error ? err.message : String(err)).replace(/\s*\n\s*/g, ' ');
}

export function diskFinding(space: { freeBytes: number; totalBytes: number }): Finding {
  const { freeBytes, totalBytes } = space;
  const found = `${(freeBytes / GIGABYTE).toFixed(1)} GB of ${(totalBytes / GIGABYTE).toFixed(1)} GB are free`;
  if (freeBytes < FREE_BYTES_MIN) {
    return failed('disk', `${found}: make room, or writes will be answered with 503`);
  }
  if (freeBytes < totalBytes * FREE_SHARE_MIN) return warning('disk', `${found}: make room soon`);
  return ok('disk', found);
}

function freeSpace(folder: string): { freeBytes: number; totalBytes: number } {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** The data folder and its files belong to the user of the service, and others can read none of them. */
function filesFinding(folder: string): Finding {
  const files = PRIVATE_FILES.map((name) => join(folder, name)).filter((file) => existsSync(file));
  for (const file of [folder, ...files]) {
    const mode = statSync(file).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      const needed = file === folder ? '700' : '600';
      const found = `${file} has mode ${mode.toString(8)}`;
      return failed('files', `${found}: run chmod ${needed} on it, so that no other user reads it`);
    }
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch {
      return failed('files', `this user cannot write ${file}: run this as the user of the service`);
    }
  }
  return ok('files', `${folder} and its files are for their owner alone`);
}

/** SQLite has no clock of its own, but the database is never newer than the clock. */
function machineClockFinding(file: string, now: number): Finding {
  const aheadMs = statSync(file).mtimeMs - now;
  if (aheadMs <= CLOCK_BEHIND_MAX_MS) return ok('clock', 'not behind the last change');
  const seconds = Math.round(aheadMs / 1000);
  return failed(
    'clock',
    `the clock of this machine is ${seconds} s behind the last change of the database: synchronise it with NTP`,
  );
}

function backupFinding(folder: string, now: number): Finding {
  const at = lastBackupAt(folder);
  const command = 'petstore server backup --into FOLDER --keep N';
  if (at === undefined) {
    return warning('backup', `there has never been one: run ${command}, and install its timer`);
  }
  const hours = Math.round((now - at) / HOUR_MS);
  if (now - at <= BACKUP_AGE_MAX_MS) return ok('backup', `${hours} h old`);
  return failed('backup', `${hours} h old: run ${command}, and look at the timer`);
}

function ok(name: string, message: string): Finding {
  return { name, state: 'ok', message };
}

function warning(name: string, message: string): Finding {
  return { name, state: 'warning', message };
}

function failed(name: string, message: string): Finding {
  return { name, state: 'failed', message };
}
