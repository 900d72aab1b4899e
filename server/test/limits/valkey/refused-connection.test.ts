import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../src/domain/key.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { UnusableLimiterStore } from '../../../src/limits/limiter.ts';
import { bucketScript } from '../../../src/limits/valkey/scripts.ts';
import { ValkeyLimiter } from '../../../src/limits/valkey/valkey-limiter.ts';
import { onRedis, startRedis, type TestServer } from '../../support/servers.ts';
import { rules } from '../history.ts';
import { LimitDatabase } from '../limit-database.ts';
import { isShared, workspaceIds } from './valkey-server.ts';

const nextWorkspace = workspaceIds();
let redis: TestServer;
let limiter: ValkeyLimiter;
let failures: string[];
let recoveries: number;

beforeAll(async () => {
  redis = await startRedis();
  // A store that knows the script replies to the refused command and to the script at once.
  await onRedis(redis.url, 'SCRIPT', 'LOAD', bucketScript.text);
});
afterAll(() => redis.stop());
afterEach(() => limiter.close());

function open(url: string): void {
  failures = [];
  recoveries = 0;
  limiter = new ValkeyLimiter({
    coalescer: new Coalescer(),
    url,
    store: new LimitDatabase().connect(),
    clock: { now: Date.now },
    policy: rules,
    silenceMaxMs: 60_000,
    onStoreFailure: (err) => failures.push(String(err)),
    onStoreRecovery: () => {
      recoveries += 1;
    },
  });
}

function newCaller(): Caller {
  const workspaceId = nextWorkspace();
  const limits = { perMinute: 1_000_000, perDay: 3 };
  return { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
}

/** How many of five requests the limiter admits; the limit is three. */
async function admitted(): Promise<number> {
  const caller = newCaller();
  let count = 0;
  for (let sent = 0; sent < 5; sent++) {
    if (!(await limiter.admit(caller, 1)).refusal) count += 1;
  }
  return count;
}

test.each([
  ['the password', (port: number) => `redis://:secret@127.0.0.1:${port}`, 'AUTH'],
  ['the user', (port: number) => `redis://someone:secret@127.0.0.1:${port}`, 'WRONGPASS'],
  ['the database', (port: number) => `redis://127.0.0.1:${port}/99`, 'DB index'],
])('decides alone while the store refuses %s but serves', async (_, urlOf, reason) => {
  open(urlOf(redis.port));
  await expect(limiter.ready()).rejects.toThrow(UnusableLimiterStore);
  expect(limiter.isShared).toBe(false);
  expect(await admitted()).toBe(3);
  expect(failures).toEqual([expect.stringContaining(reason)]);
  expect(recoveries).toBe(0);
});

test('decides alone from when the store refuses the password until it takes it again', async () => {
  await onRedis(redis.url, 'CONFIG', 'SET', 'requirepass', 'secret');
  const url = redis.url.replace('//', '//:secret@');
  open(url);
  await isShared(limiter);
  await onRedis(url, 'CONFIG', 'SET', 'requirepass', '');
  await onRedis(redis.url, 'CLIENT', 'KILL', 'TYPE', 'normal');
  await isShared(limiter, false);
  // Within this time the node tries several connections.
  await pause(300);
  expect(limiter.isShared).toBe(false);
  expect(await admitted()).toBe(3);
  expect(recoveries).toBe(0);
  await onRedis(redis.url, 'CONFIG', 'SET', 'requirepass', 'secret');
  await isShared(limiter);
  expect(await admitted()).toBe(3);
  expect([failures.length, recoveries]).toEqual([1, 1]);
});
