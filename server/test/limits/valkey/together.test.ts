import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../src/domain/key.ts';
import type { Limiter } from '../../../src/limits/limiter.ts';
import { MemoryLimiter } from '../../../src/limits/memory/memory-limiter.ts';
import { seed } from '../../support/seed.ts';
import { onRedis, startRedis, type TestServer } from '../../support/servers.ts';
import { generator, rules, VirtualClock } from '../history.ts';
import { LimitDatabase } from '../limit-database.ts';
import { openNode } from './valkey-server.ts';

const ROUNDS = 100;
const LONGEST_STEP_MS = 40_000;

const random = generator(seed);

let redis: TestServer;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

function callerOf(workspaceId: number, key: string): Caller {
  const limits = { perMinute: 12, perDay: 60 };
  return { keyId: `${workspaceId}.${key}`, workspaceId, scopes: [], limits };
}

interface Request {
  caller: Caller;
  cost: number;
}

function ask(limiter: Limiter, { caller, cost }: Request) {
  return cost === 0 ? limiter.peek(caller) : limiter.admit(caller, cost);
}

function pick<T>(choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!;
}

test('decides requests of one tick as if they had come one after the other', async () => {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const options = { clock, policy: rules, onStoreFailure: (err: unknown) => failures.push(err) };
  const memory = new MemoryLimiter({ ...options, store: new LimitDatabase().connect() });
  const { limiter } = await openNode({ ...options, url: redis.url, storeClock: clock });
  const callers = [1, 2, 3].map((workspaceId) => callerOf(workspaceId, 'a'));
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    clock.at += Math.floor(random() * LONGEST_STEP_MS);
    const requests = Array.from({ length: 1 + Math.floor(random() * 40) }, () => ({
      caller: pick(callers),
      cost: pick([0, 1, 1, 1, 2, 5]),
    }));
    const alone = [];
    for (const request of requests) alone.push(await ask(memory, request));
    const together = await Promise.all(requests.map((request) => ask(limiter, request)));
    expect(together).toEqual(alone);
    for (const { refusal } of together) seen.add(refusal?.by ?? 'admitted');
  }
  expect(failures).toEqual([]);
  expect([...seen].sort()).toEqual(['admitted', 'ban', 'day', 'minute']);
  await limiter.close();
  await memory.close();
});

test('sends requests of one tick and one key in one call', async () => {
  const { limiter } = await openNode({ url: redis.url });
  const callers = [callerOf(10, 'a'), callerOf(10, 'b'), callerOf(11, 'a')];
  for (const caller of callers) await limiter.admit(caller, 0);
  await onRedis(redis.url, 'CONFIG', 'RESETSTAT');
  const requests = callers.flatMap((caller) => Array<Caller>(50).fill(caller));
  await Promise.all(requests.map((caller) => limiter.admit(caller, 1)));
  const stats = (await onRedis(redis.url, 'INFO', 'commandstats')) as string;
  expect(stats).toMatch(/cmdstat_evalsha:calls=3,/);
  await limiter.close();
});
