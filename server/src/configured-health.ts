// The part of the composition root that says how the service is: its checks, its gauges, and warnings in the log.

import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { API_VERSION } from './contract/version.ts';
import type { NodeReport } from './datastore/cluster/nodes.ts';
import type { Datastore } from './datastore/datastore.ts';
import { MINUTE_MS } from './domain/durations.ts';
import { lastBackupAt } from './lib/backup-files.ts';
import type { Clock } from './lib/clock.ts';
import { hostOf, urlsOfHosts } from './lib/network/host-list.ts';
import { oncePerSecond } from './lib/once.ts';
import type { Leases } from './services/cluster/leases.ts';
import type { OnDelay } from './services/events/read-feed.ts';
import {
  databaseCheck,
  type HealthCheck,
  leaseCheck,
  type ReadHealth,
  runChecks,
  webhooksCheck,
} from './services/health-check.ts';
import type { RequestLog } from './services/logs/request-log.ts';
import { StorageHealth } from './services/storage-health.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** What every part of the service gets. */
export interface BaseParts {
  store: Datastore;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
}

export function openStorageHealth({ store, clock, metrics, log }: BaseParts): StorageHealth {
  const onClockSkew = (skewMs: number) =>
    log.warn({ skewMs }, "the clock of this node differs from the database's: synchronise both");
  const health = new StorageHealth({ store, clock, onClockSkew });
  metrics.watch({
    name: 'petstore_clock_skew_seconds',
    help: "How far the clock of this node is ahead of the database's, as of the last health check.",
    read: () => health.clockSkewMs && health.clockSkewMs / 1000,
  });
  return health;
}

/** Figures of this node and of the whole store. */
export function watchStore(config: Config, parts: BaseParts & { storageHealth: StorageHealth }) {
  const { store, clock, metrics, storageHealth } = parts;
  metrics.watch({
    name: 'petstore_storage_delay_seconds',
    help: 'How long storage took to answer the last health check.',
    read: () => storageHealth.delayMs && storageHealth.delayMs / 1000,
  });
  metrics.watch({
    name: 'petstore_workspaces',
    help: 'Workspaces in the database, by state. The same on every node.',
    label: 'state',
    read: countedSometimes(clock, () => store.read.workspaces.countByState()),
  });
  if (config.PETSTORE_DATABASE_URL !== undefined) return;
  const folder = config.PETSTORE_DATA_DIR;
  const space = (figureOf: (space: StatsFs) => number) => async () =>
    figureOf(await statfs(folder));
  metrics.watch({
    name: 'petstore_disk_free_bytes',
    help: 'Free space of the disk of the data folder.',
    read: space(({ bavail, bsize }) => bavail * bsize),
  });
  metrics.watch({
    name: 'petstore_disk_bytes',
    help: 'Size of the disk of the data folder.',
    read: space(({ blocks, bsize }) => blocks * bsize),
  });
  metrics.watch({
    name: 'petstore_backup_age_seconds',
    help: 'Age of the last backup; +Inf if there has never been one.',
    read: () => (clock.now() - (lastBackupAt(folder) ?? Number.NEGATIVE_INFINITY)) / 1000,
  });
}

export function watchRequestLog(metrics: Metrics, requestLog: RequestLog | undefined): void {
  metrics.watchCounter({
    name: 'petstore_request_log_dropped_total',
    help: 'Requests that are not in the request log because too many waited to be written.',
    read: () => requestLog?.dropped ?? 0,
  });
}

/** Counting reads every row, so it is done once a minute however often the page is asked for. */
export function countedSometimes<T>(clock: Clock, count: () => Promise<T>): () => Promise<T> {
  let counted: { at: number; value: Promise<T> } | undefined;
  return () => {
    const now = clock.now();
    if (!counted || Math.abs(now - counted.at) >= MINUTE_MS) counted = { at: now, value: count() };
    counted.value.catch(() => {
      counted = undefined;
    });
    return counted.value;
  };
}

interface ReportParts {
  metrics: Metrics;
  storageHealth: StorageHealth;
  isDraining: () => boolean;
}

/** Returns what a node says of itself. It counts requests since the call before. */
export function nodeReporter({ metrics, storageHealth, isDraining }: ReportParts) {
  let before = { atMs: performance.now(), requests: 0 };
  return (): NodeReport => {
    const seen = { atMs: performance.now(), requests: metrics.requests.total };
    const minutes = Math.max(1, seen.atMs - before.atMs) / MINUTE_MS;
    const requestsPerMinute = Math.round((seen.requests - before.requests) / minutes);
    before = seen;
    const served = storageHealth.isClockRight ? 'ready' : 'unavailable';
    return {
      version: API_VERSION,
      state: isDraining() ? 'stopping' : served,
      clockSkewMs: storageHealth.clockSkewMs,
      requestsPerMinute,
      memoryBytes: process.memoryUsage.rss(),
    };
  };
}

/** Counts every read that could not number new events, and logs one a minute. */
export function reportDelays({ clock, metrics, log }: Omit<BaseParts, 'store'>): OnDelay {
  let silentUntil = 0;
  let delays = 0;
  metrics.watchCounter({
    name: 'petstore_feed_delays_total',
    help: 'Reads of a feed that could not number new events, because another transaction held the feed.',
    read: () => delays,
  });
  return (err, workspaceId) => {
    delays += 1;
    if (clock.now() < silentUntil) return;
    silentUntil = clock.now() + MINUTE_MS;
    const message = 'new events cannot be numbered; readers of the feed get them later';
    log.warn({ err, workspaceId }, message);
  };
}

interface CheckedParts extends Omit<BaseParts, 'log'> {
  storageHealth: StorageHealth;
  limiterCheck: HealthCheck;
  /** Undefined where one node does all jobs. */
  leases: Leases | undefined;
  hasWebhooks: boolean;
}

/** What /readyz?verbose answers with. The metrics carry the same. However often both are asked, each second has one survey. */
export function openHealth(config: Config, parts: CheckedParts): ReadHealth {
  const { store, clock, metrics, storageHealth, limiterCheck, leases, hasWebhooks } = parts;
  const delays = oncePerSecond(() => store.read.deliveries.delays(clock.now()));
  const checks = [
    databaseCheck(placeOf(config), { health: storageHealth, hostInUse: () => store.host }),
    limiterCheck,
    webhooksCheck({ isAvailable: hasWebhooks, isOn: config.PETSTORE_WEBHOOKS, delays }),
    leaseCheck(leases),
  ];
  const readHealth = oncePerSecond(() => runChecks(checks));
  metrics.watch({
    name: 'petstore_part_ok',
    help: 'What /readyz?verbose says: 1 if this part of the service is well, 0 if not.',
    label: 'part',
    read: async () =>
      new Map((await readHealth()).map(({ name, ok }) => [name, Number(ok)] as const)),
  });
  metrics.watch({
    name: 'petstore_feed_delay_seconds',
    help: 'Age of the oldest event that has no number yet. The same on every node.',
    read: async () => (await delays()).feedMs / 1000,
  });
  metrics.watch({
    name: 'petstore_webhook_lag_seconds',
    help: 'How long the webhook that is due longest has waited for a node. The same on every node.',
    read: async () => (await delays()).webhookMs / 1000,
  });
  return readHealth;
}

/** What is known of the database without asking it. */
function placeOf({ PETSTORE_DATABASE_URL: url, PETSTORE_DATABASE_POOLING: pooling }: Config) {
  if (url === undefined) return { engine: 'sqlite' } as const;
  return { engine: 'postgresql', pooling, hosts: urlsOfHosts(url).map(hostOf) } as const;
}
