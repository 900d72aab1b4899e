// The part of the composition root that puts the limiter together from the configuration.

import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Datastore } from './datastore/datastore.ts';
import type { Clock } from './lib/clock.ts';
import type { Coalescer } from './lib/coalescer.ts';
import type { Limiter } from './limits/limiter.ts';
import { MemoryLimiter } from './limits/memory/memory-limiter.ts';
import { limitStoreOver } from './services/limits/limit-store.ts';
import type { Metrics } from './telemetry/metrics.ts';

interface LimiterParts {
  store: Datastore;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  coalescer: Coalescer;
}

/** In Valkey if one is configured, else in memory. */
export async function configuredLimiter(
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
  try {
    await limiter.ready();
  } catch (err) {
    await limiter.close();
    throw err;
  }
  return limiter;
}
