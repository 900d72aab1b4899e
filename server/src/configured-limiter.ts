// The part of the composition root that puts the limiter together from the configuration.

import type { Config } from './config.ts';
import type { BaseParts } from './configured-health.ts';
import type { NodeReport, OtherNodes } from './datastore/cluster/nodes.ts';
import type { Coalescer } from './lib/coalescer.ts';
import type { Limiter } from './limits/limiter.ts';
import { MemoryLimiter } from './limits/memory/memory-limiter.ts';
import type { ValkeyLimiter } from './limits/valkey/valkey-limiter.ts';
import { NodeRegistry, type NodeRegistryOptions } from './services/cluster/node-registry.ts';
import type { HealthCheck, PartHealth } from './services/health-check.ts';
import { limitStoreOver } from './services/limits.ts';
import type { Metrics } from './telemetry/metrics.ts';

interface LimiterParts extends BaseParts {
  coalescer: Coalescer;
  /** Multiplies how long Valkey may be silent. */
  timeoutFactor: number;
  /** What this node says of itself to the others. */
  report: () => NodeReport;
}

const ALONE = 'check the servers of PETSTORE_VALKEY_URL: this node limits by itself meanwhile';
const APART =
  'set one PETSTORE_VALKEY_URL on all nodes, and check that each reaches it: some apply every limit by themselves';

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
  let failures = 0;
  metrics.watchCounter({
    name: 'petstore_limiter_failures_total',
    help: 'Times the limiter could not reach its store and decided by itself.',
    read: () => failures,
  });
  const onStoreFailure = (err: unknown) => {
    failures += 1;
    log.warn({ err }, 'the limiter cannot reach its store: this node counts by itself meanwhile');
  };
  const common = { store: limitStoreOver(store), clock, policy: policyOf(config), onStoreFailure };
  const url = config.PETSTORE_VALKEY_URL;
  if (url === undefined) {
    const nodes = openNodes(parts, async () => undefined);
    return { limiter: new MemoryLimiter(common), nodes, check: checkOf(nodes, undefined, metrics) };
  }
  const { ValkeyLimiter } = await import('./limits/valkey/valkey-limiter.ts');
  const { SILENCE_MAX_MS } = await import('./limits/valkey/shared-store.ts');
  const onStoreRecovery = () => {
    log.info('the limiter shares its counts again');
    void nodes.tellOthers();
  };
  const silenceMaxMs = SILENCE_MAX_MS * timeoutFactor;
  const limiter = new ValkeyLimiter({ ...common, url, coalescer, silenceMaxMs, onStoreRecovery });
  const nodes = openNodes(parts, () => limiter.storeNames());
  try {
    await limiter.ready();
  } catch (err) {
    await limiter.close();
    throw err;
  }
  return { limiter, nodes, check: checkOf(nodes, limiter, metrics) };
}

/** Connects to Valkey as a node does, and says whether it would share its counts. */
export async function probeValkey(url: string) {
  const { openSharedStore } = await import('./limits/valkey/shared-store.ts');
  const ignore = () => undefined;
  const { store, topology, ready } = openSharedStore({
    url,
    onFailure: ignore,
    onRecovery: ignore,
  });
  try {
    await ready();
    return { isShared: store.isShared, topology };
  } finally {
    store.close();
  }
}

function policyOf(config: Config) {
  return {
    refusalsToBan: config.PETSTORE_BAN_AFTER,
    ladderMs: config.PETSTORE_BAN_LADDER_SECONDS.map((seconds) => seconds * 1000),
  };
}

function openNodes(
  { store, log, report }: LimiterParts,
  countsIn: NodeRegistryOptions['countsIn'],
): NodeRegistry {
  const onChange = ({ all, together }: OtherNodes) => {
    const figures = { nodes: all + 1, apart: all - together };
    if (all === together) log.info(figures, 'no other node limits apart from this one any more');
    else
      log.warn(
        figures,
        'limits are not shared with other nodes: set one PETSTORE_VALKEY_URL on all',
      );
  };
  const onFailure = (err: unknown) =>
    log.warn({ err }, 'this node is not registered in the database; trying again');
  return new NodeRegistry({ store, report, countsIn, onChange, onFailure });
}

/** Limits are exact while all nodes count in one Valkey, or there is one node. */
function checkOf(
  nodes: NodeRegistry,
  valkey: ValkeyLimiter | undefined,
  metrics: Metrics,
): HealthCheck {
  const isUp = () => valkey === undefined || valkey.isShared;
  const isShared = () => isUp() && !nodes.isApart;
  metrics.watch({
    name: 'petstore_limiter_shared',
    help: '1 while all nodes apply one limit together or this is the only node, 0 while any node decides beside others.',
    read: () => Number(isShared()),
  });
  const run = async (): Promise<PartHealth> => {
    const shared = isShared();
    const { topology, servers } = valkey?.topology ?? { topology: 'memory', servers: [] };
    const hosts = servers.map(({ address, isUp }) => `${address} ${isUp ? 'up' : 'down'}`);
    const { all, together } = nodes.others;
    const figures = { topology, nodes: all + 1, apart: all - together };
    const part = { ok: shared, shared, ...figures, ...(valkey && { hosts }) };
    return shared ? part : { ...part, action: isUp() ? APART : ALONE };
  };
  return { name: 'limiter', run };
}
