import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { MemoryLimiter } from '../../src/limits/memory/memory-limiter.ts';
import { limitStoreOver } from '../../src/services/limits.ts';
import { openStore } from '../../src/stores.ts';
import { newWorkspace } from '../operations/account/new-workspace.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { heapBytes } from './heap.ts';
import { NINE, stopClock } from './still-clock.ts';

const ADDRESSES = 300_000;
const STRANGERS = 500;
const AT_ONCE = 50;

describe('the limiter', () => {
  const folder = temporaryFolder();
  let store: Datastore;
  beforeAll(async () => {
    ({ store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path })));
  });
  afterAll(async () => {
    await store.close();
    folder.remove();
  });

  it('drops the oldest addresses when it is full', async () => {
    const limiter = new MemoryLimiter({
      store: limitStoreOver(store),
      clock: { now: () => NINE },
      policy: { refusalsToBan: 30, ladderMs: [60_000] },
      onStoreFailure: (err) => {
        throw err;
      },
    });
    const nameOf = (i: number) => `2001:db8:${i.toString(16)}::/64`;
    const before = heapBytes();
    for (let i = 0; i < ADDRESSES; i++) limiter.admitBucket(nameOf(i), 60);
    // A hundred thousand windows take some 20 MB.
    expect(heapBytes() - before).toBeLessThan(40_000_000);
    const remaining = (i: number) => limiter.peekBucket(nameOf(i), 60).windows[0]!.remaining;
    expect(remaining(ADDRESSES - 1)).toBe(59);
    expect(remaining(0)).toBe(60);
    await limiter.close();
  });
});

describe('the service', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({
      environment: { PETSTORE_ADDRESS_PER_MINUTE: '1', PETSTORE_TRUST_PROXY: '127.0.0.1' },
    });
    stopClock(app);
  });

  it('serves valid keys during a flood of wrong ones from many addresses', async () => {
    const own = await newWorkspace(app, { plan: 'pro' });
    const strange = (i: number) =>
      app.call('GET', '/v1/pets', {
        key: generateApiKey().key,
        headers: {
          'x-forwarded-for': `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`,
        },
      });
    let asked = 0;
    for (let i = 0; i < STRANGERS; i += AT_ONCE) {
      const group = Array.from({ length: AT_ONCE }, (_, j) => strange(i + j));
      const valid = await own.ask();
      asked += 1;
      expect(valid.status).toBe(200);
      expect(valid.headers.get('x-ratelimit-remaining')).toBe(String(300 - asked));
      for (const { status } of await Promise.all(group)) expect(status).toBe(401);
    }
    expect((await strange(0)).status).toBe(429);
  });
});
