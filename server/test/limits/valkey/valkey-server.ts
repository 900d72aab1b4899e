// The Redis that test files share, and limiters over it.

import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'redis';
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

/** A limiter that has found its store; what it reports as failures is collected. */
export async function openNode(options: NodeOptions) {
  const failures: unknown[] = [];
  const limiter = new ValkeyLimiter({
    coalescer: new Coalescer(),
    store: new LimitDatabase().connect(),
    clock: { now: Date.now },
    policy: rules,
    // A machine that is busy with other tests makes the store slow, which is not what is tested.
    budgetMs: Number(process.env.LIMIT_BUDGET_MS ?? 10_000),
    onStoreFailure: (err) => failures.push(err),
    ...options,
  });
  await isShared(limiter);
  return { limiter, failures };
}

/** Waits until the limiter decides together with the others again. */
export async function isShared(limiter: ValkeyLimiter): Promise<void> {
  for (let waited = 0; !limiter.isShared; waited += 5) {
    if (waited > 10_000) throw new Error('the limiter did not find its store');
    await pause(5);
  }
}

export async function onRedis(url: string, ...command: string[]): Promise<unknown> {
  const client = createClient({ url });
  await client.connect();
  try {
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}

/** Workspaces of one test file must not meet those of another on the same server. */
export function workspaceIds(): () => number {
  let next = 1_000_000 + Math.floor(Math.random() * 2 ** 48);
  return () => next++;
}
