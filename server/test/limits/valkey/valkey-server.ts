// Limiters over the Redis server that the test files share.

import { setTimeout as pause } from 'node:timers/promises';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import {
  ValkeyLimiter,
  type ValkeyLimiterOptions,
} from '../../../src/limits/valkey/valkey-limiter.ts';
import { rules } from '../history.ts';
import { LimitDatabase } from '../limit-database.ts';

export function sharedRedisUrl(): string {
  const url = process.env.TEST_REDIS_URL;
  if (!url) throw new Error('TEST_REDIS_URL is not set: run the tests through vitest');
  return url;
}

export type NodeOptions = Partial<ValkeyLimiterOptions> & { url: string };

/** Opens a limiter, waits until its store is up and collects the failures that it reports. */
export async function openNode(options: NodeOptions) {
  const failures: unknown[] = [];
  const limiter = new ValkeyLimiter({
    coalescer: new Coalescer(),
    store: new LimitDatabase().connect(),
    clock: { now: Date.now },
    policy: rules,
    // On a busy machine the store is slow; only tests about that set a time of their own.
    silenceMaxMs: 10_000,
    onStoreFailure: (err) => failures.push(err),
    ...options,
  });
  await isShared(limiter);
  return { limiter, failures };
}

/** Waits until the limiter decides through the store, or alone. */
export async function isShared(limiter: ValkeyLimiter, isWanted = true): Promise<void> {
  while (limiter.isShared !== isWanted) await pause(5);
}

/** Test files share a server, so each takes ids from a range of its own. */
export function workspaceIds(): () => number {
  let next = 1_000_000 + Math.floor(Math.random() * 2 ** 48);
  return () => next++;
}
