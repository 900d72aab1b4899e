// The part of the composition root that puts the limiter together from the configuration.

import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { NodeReport } from './datastore/cluster/nodes.ts';
import type { Datastore } from './datastore/datastore.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { Coalescer } from './lib/coalescer.ts';
import type { Limiter } from './limits/limiter.ts';
import { MemoryLimiter } from './limits/memory/memory-limiter.ts';
import type { ValkeyLimiter } from './limits/valkey/valkey-limiter.ts';
import { NodeRegistry } from './services/cluster/node-registry.ts';
import type { HealthCheck, PartHealth } from './services/health-check.ts';
import { limitStoreOver } from './services/limits.ts';
import type { Metrics } from './telemetry/metrics.ts';

interface LimiterParts {
  store: Datastore;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  coalescer: Coalescer;
  /** Multiplies how long Valkey may be silent. */
  timeoutFactor: number;
  /** What this node says of itself to the others. */
  report: (isShared: boolean) => NodeReport;
}

interface ConfiguredLimiter {
  limiter: Limiter;
  /** To be started when this node serves. */
  nodes: NodeRegistry;
  check: HealthCheck;
}

/** In Valkey if one is configured, else in memory. */
export async function configuredLimiter(
  config: Config,
  parts: LimiterParts,
): Promise<ConfiguredLimiter> {
  const { store, clock, metrics, log, coalescer, timeoutFactor } = parts;
  let isShared = () => true;
  const nodes = openNodes(config, { ...parts, report: () => parts.report(isShared()) });
  const onStoreFailure = (err: unknown) => {
    metrics.countLimiterFailure();
    log.warn({ err }, 'the limiter cannot reach its store: this node counts by itself meanwhile');
  };
  const onStoreRecovery = () => log.info('the limiter shares its counts again');
  const common = { store: limitStoreOver(store), clock, policy: policyOf(config), onStoreFailure };
  const url = config.PETSTORE_VALKEY_URL;
  if (url === undefined) {
    isShared = () => nodes.others === 0;
    watchLimiter(metrics, isShared);
    return { limiter: new MemoryLimiter(common), nodes, check: memoryCheck(nodes) };
  }
  const { ValkeyLimiter, SILENCE_MAX_MS } = await import('./limits/valkey/valkey-limiter.ts');
  const silenceMaxMs = SILENCE_MAX_MS * timeoutFactor;
  const limiter = new ValkeyLimiter({ ...common, url, coalescer, silenceMaxMs, onStoreRecovery });
  isShared = () => limiter.isShared;
  watchLimiter(metrics, isShared);
  try {
    await limiter.ready();
  } catch (err) {
    await limiter.close();
    throw err;
  }
  return { limiter, nodes, check: valkeyCheck(limiter) };
}

/** Connects to Valkey as a node does, and says whether it would share its counts. */
export async function probeValkey(config: Config, store: Datastore) {
  const { ValkeyLimiter } = await import('./limits/valkey/valkey-limiter.ts');
  const limiter = new ValkeyLimiter({
    store: limitStoreOver(store),
    clock: systemClock,
    policy: policyOf(config),
    url: config.PETSTORE_VALKEY_URL!,
    coalescer: new Coalescer(),
    onStoreFailure: () => undefined,
    onStoreRecovery: () => undefined,
  });
  try {
    await limiter.ready();
    return { isShared: limiter.isShared, topology: limiter.topology.topology };
  } finally {
    await limiter.close();
  }
}

function policyOf(config: Config) {
  return {
    refusalsToBan: config.PETSTORE_BAN_AFTER,
    ladderMs: config.PETSTORE_BAN_LADDER_SECONDS.map((seconds) => seconds * 1000),
  };
}

function watchLimiter(metrics: Metrics, isShared: () => boolean): void {
  metrics.watch({
    name: 'petstore_limiter_shared',
    help: '1 while all nodes apply one limit together or this is the only node, 0 while this node decides beside others.',
    read: () => Number(isShared()),
  });
}

/** Without Valkey each node limits by itself, so a second node is worth a warning on both. */
function openNodes(
  config: Config,
  { store, log, report }: { store: Datastore; log: Logger; report: () => NodeReport },
): NodeRegistry {
  const isSharing = config.PETSTORE_VALKEY_URL !== undefined;
  const onChange = (others: number) => {
    if (isSharing) return;
    if (others === 0) log.info('this is the only node again: its limits are exact');
    else
      log.warn(
        { others },
        'limits are not shared with other nodes: set PETSTORE_VALKEY_URL on all',
      );
  };
  const onFailure = (err: unknown) =>
    log.warn({ err }, 'this node is not registered in the database; trying again');
  return new NodeRegistry({ store, report, onChange, onFailure });
}

/** A node alone applies each limit exactly. Several nodes without Valkey apply it once each. */
function memoryCheck(nodes: NodeRegistry): HealthCheck {
  const run = async (): Promise<PartHealth> => {
    const shared = nodes.others === 0;
    const action = 'set PETSTORE_VALKEY_URL on all nodes: each applies every limit by itself';
    const part = { ok: shared, shared, topology: 'memory', nodes: nodes.others + 1 };
    return shared ? part : { ...part, action };
  };
  return { name: 'limiter', run };
}

function valkeyCheck(limiter: ValkeyLimiter): HealthCheck {
  const run = async (): Promise<PartHealth> => {
    const { topology, servers } = limiter.topology;
    const shared = limiter.isShared;
    const hosts = servers.map(({ address, isUp }) => `${address} ${isUp ? 'up' : 'down'}`);
    const action = 'check the servers of PETSTORE_VALKEY_URL: this node limits by itself meanwhile';
    const part = { ok: shared, shared, topology, hosts };
    return shared ? part : { ...part, action };
  };
  return { name: 'limiter', run };
}
