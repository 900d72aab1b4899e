import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openHealth, openStorageHealth } from '../../src/configured-health.ts';
import { Leases } from '../../src/services/cluster/leases.ts';
import { openStore } from '../../src/stores.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('looks at the delays and the leases once for all who ask within a second', async () => {
  const config = readConfig({ PETSTORE_DATA_DIR: temporaryFolder().path });
  const { store } = await openStore(config);
  onTestFinished(() => store.close());
  const looks = { delays: 0, taken: 0 };
  const deliveries = Object.create(store.read.deliveries, {
    delays: {
      value: async () => {
        looks.delays += 1;
        return { feedMs: 0, awaitedMs: 0, webhookMs: 0 };
      },
    },
  });
  const leasesRead = Object.create(store.read.leases, {
    taken: {
      value: async () => {
        looks.taken += 1;
        return [];
      },
    },
  });
  const read = { ...store.read, deliveries, leases: leasesRead };
  const counting = Object.create(store, { read: { value: read } });
  const metrics = new Metrics(new Map());
  const clock = { now: () => Date.now() };
  const base = { store: counting, clock, metrics, log: pino({ level: 'silent' }) };
  const storageHealth = openStorageHealth(base);
  const leases = new Leases({
    store: counting,
    clock,
    jobs: ['expiry'],
    holder: 'this',
    checkReady: async () => undefined,
    onFailure: () => undefined,
  });
  const limiterCheck = { name: 'limiter' as const, run: async () => ({ ok: true }) };
  const parts = { ...base, storageHealth, limiterCheck, leases, hasWebhooks: true };
  const readHealth = openHealth(config, parts);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await Promise.all(Array.from({ length: 1_000 }, readHealth));
  await Promise.all(Array.from({ length: 10 }, () => metrics.text()));
  expect(looks).toEqual({ delays: 1, taken: 1 });
  vi.advanceTimersByTime(1_000);
  await readHealth();
  expect(looks).toEqual({ delays: 2, taken: 2 });
});
