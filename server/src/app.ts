// The composition root: it opens every part of a service, and closes each again in the reverse order, also when a start fails.

import type { Logger } from 'pino';
import type { Config } from './config.ts';
import {
  type BaseParts,
  nodeReporter,
  openHealth,
  openStorageHealth,
  reportDelays,
  watchRequestLog,
  watchStore,
} from './configured-health.ts';
import { configuredLimiter } from './configured-limiter.ts';
import { configuredTracing } from './configured-tracing.ts';
import { configuredWebhooks, type Webhooks } from './configured-webhooks.ts';
import { API_PREFIX } from './contract/version.ts';
import type { Datastore } from './datastore/datastore.ts';
import { StorageUnavailable } from './datastore/failures.ts';
import { listen, type Timeouts } from './http/connections/http-server.ts';
import { ReadCache } from './http/read-cache.ts';
import { buildServer, type HttpServer } from './http/server.ts';
import { Workload } from './http/workload.ts';
import { openLeases, startJobs } from './jobs.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { closedOnFailure } from './lib/closed-on-failure.ts';
import { Coalescer } from './lib/coalescer.ts';
import { trustedProxies } from './lib/network/address-range.ts';
import type { Dependencies } from './operations/operation.ts';
import { deprecationsOf, operations } from './operations/operations.ts';
import { WorkspaceExports } from './services/archive/workspace-exports.ts';
import { ChangeLog } from './services/cluster/change-log.ts';
import { CredentialCache } from './services/credential-cache.ts';
import { DailyEvents } from './services/events/daily-events.ts';
import { EventFeed } from './services/events/event-feed.ts';
import { EventHub } from './services/events/event-hub.ts';
import { OpenReaders } from './services/events/open-readers.ts';
import type { OnDelay } from './services/events/read-feed.ts';
import { ReaderAccess } from './services/events/reader-access.ts';
import { RequestLog } from './services/logs/request-log.ts';
import { UsageRecorder } from './services/usage-recorder.ts';
import { bootstrap } from './services/workspaces.ts';
import { openStoreForServing } from './stores.ts';
import { Metrics } from './telemetry/metrics.ts';

const deprecations = deprecationsOf(operations);
const routes = new Map(
  operations.map(({ id, method, path }) => [id, { method, route: `${API_PREFIX}${path}` }]),
);

export interface RunningApp {
  /** Where it listens. */
  url: string;
  /** Whether this start found the database empty and created the first key. */
  isFirstStart: boolean;
  server: HttpServer['fastify'];
  /**
   * From now on /readyz answers 503, so that load balancers send no more requests here. Streams and waiting polls end, and
   * deliveries stop. Other requests are still served.
   */
  announceStop(): void;
  stop(): Promise<void>;
}

export interface AppOptions {
  clock?: Clock;
  workload?: Workload;
  timeouts?: Partial<Timeouts>;
  consoleFolder?: string;
  /** Shows the first key of an empty database. If it throws, the key is not kept and the start fails. */
  announceKey?: (key: string, url: string) => void;
  /** Whether this node ends orders whose time has come; true if absent. Another node may do it. */
  isSweeping?: boolean;
  /** Multiplies the timeouts of PostgreSQL and Valkey, for tests on a machine that stalls. */
  timeoutFactor?: number;
}

export function startApp(
  config: Config,
  log: Logger,
  {
    clock = systemClock,
    workload = new Workload(),
    announceKey,
    isSweeping = true,
    timeoutFactor = 1,
    ...http
  }: AppOptions = {},
): Promise<RunningApp> {
  return closedOnFailure(async (opened) => {
    const coalescer = new Coalescer();
    const tracing = await configuredTracing(log);
    opened.defer(() => tracing?.close());
    const metrics = new Metrics(routes);

    const options = { coalescer, timeoutFactor };
    const { store, changes: counts } = opened.use(await openStoreForServing(config, options));
    const readCache = counts && new ReadCache(counts);
    const base = { store, clock, metrics, log };

    let isStopping = false;
    const isDraining = () => isStopping;
    const storageHealth = openStorageHealth(base);
    watchStore(config, { ...base, storageHealth });
    const report = nodeReporter({ metrics, storageHealth, isDraining });
    const counting = { ...base, coalescer, timeoutFactor, report };
    const { limiter, nodes, check: limiterCheck } = await configuredLimiter(config, counting);
    opened.defer(() => limiter.close());
    opened.defer(() => nodes.close());

    const requestLog = config.PETSTORE_REQUEST_LOG_DAYS > 0 ? new RequestLog() : undefined;
    watchRequestLog(metrics, requestLog);
    const onUnwritten = (err: unknown) => log.warn({ err }, 'usage not written');
    const usage = new UsageRecorder(store, clock, onUnwritten, requestLog);
    opened.defer(() => usage.close());

    const onDelay = reportDelays(base);
    const { hub, daily, openReaders } = openEvents(config, { ...base, onDelay }, opened);
    const isClockRight = () => storageHealth.isClockRight;
    const delivery = { ...base, isClockRight, onDelay, tracing };
    const webhooks = await configuredWebhooks(config, delivery);
    opened.defer(() => webhooks?.dispatcher.stop());

    const changes = openChangeLog(store, log);
    opened.defer(() => changes.close());
    if (webhooks) changes.listen(webhooks.dispatcher);
    const counted = { limiter, usage, requestLog };
    const parts = { store, clock, ...counted, hub, openReaders, webhooks, changes, nodes };
    const deps = dependenciesOf(config, parts);
    const leases = openLeases(config, { ...base, storageHealth });
    const hasWebhooks = webhooks !== undefined;
    const checked = { ...base, storageHealth, limiterCheck, leases, hasWebhooks };
    const readHealth = openHealth(config, checked);
    const shared = { ...base, storageHealth, limiter, readCache, coalescer, daily, tracing };
    const settings = { timeouts: {}, ...http, ...httpSettings(config), workload };
    await changes.start();
    const server = await buildServer({ ...settings, ...shared, readHealth, deps, isDraining });
    opened.defer(() => server.close());
    const { PETSTORE_HOST: host, PETSTORE_PORT: port } = config;
    const url = await listen(server, { host, port });
    await nodes.start();
    const jobs = { ...base, leases, isSweeping, readCache, hub, onDelay, changes };
    await startJobs(config, jobs, opened);
    if (config.PETSTORE_WEBHOOKS) await startDeliveries(webhooks, { store, clock }, config);

    const announceStop = () => {
      isStopping = true;
      openReaders.stop();
      void webhooks?.dispatcher.stop();
      webhooks?.gateway.stop();
      void nodes.beat();
    };
    const stop = async () => {
      announceStop();
      await opened.disposeAsync();
    };
    // After listening: a start that cannot listen must not create a key that was never shown.
    const announce = (key: string) => announceKey?.(key, url);
    const isFirstStart = await createFirstKey(store, config, { clock, announce });
    return { url, isFirstStart, server: server.fastify, announceStop, stop };
  });
}

function openChangeLog(store: Datastore, log: Logger): ChangeLog {
  const onFailure = (err: unknown) =>
    log.warn({ err }, 'changes of other nodes could not be read; the next read tries again');
  return new ChangeLog({ changes: store.read.changes, onFailure });
}

function openEvents(
  config: Config,
  { store, clock, log, onDelay }: BaseParts & { onDelay: OnDelay },
  opened: AsyncDisposableStack,
) {
  const hub = new EventHub({
    store,
    onFailure: (err) => log.warn({ err }, 'the feed could not be read; the next poll tries again'),
    onDelay,
  });
  opened.defer(() => hub.close());
  const daily = new DailyEvents({
    store,
    clock,
    deprecations,
    onFailure: (err) => log.warn({ err }, 'daily events were not written; trying again'),
  });
  opened.defer(() => daily.close());
  return { hub, daily, openReaders: new OpenReaders(config.PETSTORE_EVENT_STREAMS_MAX) };
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

function httpSettings(config: Config) {
  const proxies = config.PETSTORE_TRUST_PROXY;
  return {
    operations,
    addressPerMinute: config.PETSTORE_ADDRESS_PER_MINUTE,
    trustProxy: proxies.length > 0 && trustedProxies(proxies),
    corsOrigins: config.PETSTORE_CORS_ORIGINS,
    hasServerTiming: config.PETSTORE_SERVER_TIMING,
  };
}

type Passed = 'clock' | 'usage' | 'changes' | 'requestLog' | 'limiter' | 'openReaders' | 'nodes';

interface DependencyParts extends Pick<Dependencies, Passed> {
  store: Datastore;
  hub: EventHub;
  webhooks: Webhooks | undefined;
}

function dependenciesOf(config: Config, parts: DependencyParts): Dependencies {
  const { store, hub, webhooks, ...passed } = parts;
  const { clock, limiter, openReaders, changes } = passed;
  const cached = { keys: store.read.keys, clock, isLogRead: changes.isRead };
  const credentials = new CredentialCache(cached);
  const readerAccess = new ReaderAccess({ ...cached, limiter });
  changes.listen(credentials);
  changes.listen(readerAccess);
  changes.listen(openReaders);
  return {
    ...passed,
    store: store.read,
    credentials,
    deprecations,
    isSignupOpen: config.PETSTORE_SIGNUP,
    selfServicePlans: config.PETSTORE_SELF_SERVICE_PLANS,
    isConsoleOpen: config.PETSTORE_CONSOLE,
    events: new EventFeed(store, hub),
    exports: new WorkspaceExports(store, clock),
    readerAccess,
    ...(webhooks ? { webhooks: webhooks.gateway } : {}),
  };
}

/**
 * A node on SQLite is the only one, so leases that a crash left behind are its own. A full disk is no reason to refuse the
 * start: they end by themselves.
 */
async function startDeliveries(
  webhooks: Webhooks | undefined,
  { store, clock }: { store: Datastore; clock: Clock },
  config: Config,
) {
  if (!webhooks) return;
  const isOnSqlite = config.PETSTORE_DATABASE_URL === undefined;
  try {
    if (isOnSqlite) await store.transact((tx) => tx.deliveries.releaseAll(clock.now()));
  } catch (err) {
    if (!(err instanceof StorageUnavailable)) throw err;
  }
  webhooks.dispatcher.start();
}
