// Without a write there is nothing to deliver and nothing to miss, so such a run must not succeed.

import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../server/src/config.ts';
import { createKey } from '../../../server/src/services/keys.ts';
import { openStore } from '../../../server/src/stores.ts';
import { breakDeliveries } from '../../../torture/deliveries.ts';
import { newStore, type Store } from '../../../torture/store.ts';
import { cutStreams } from '../../../torture/streams/cut-streams.ts';

/** A store whose key may not write. */
async function readOnlyStore(environment: Record<string, string> = {}): Promise<Store> {
  const store = await newStore(environment);
  onTestFinished(store.remove);
  const opened = await openStore(readConfig(store.environment));
  try {
    const key = { name: 'no writes', scopes: ['read', 'manage'] as const };
    const creation = { workspaceId: 1, key, now: Date.now() };
    const { key: apiKey } = await opened.store.transact((tx) => createKey(tx, creation));
    return { ...store, apiKey };
  } finally {
    await opened.store.close();
  }
}

it('deliveries without a write are a fault', async () => {
  const store = await readOnlyStore({
    PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
    PETSTORE_WEBHOOK_VERIFY: 'none',
  });
  const report = await breakDeliveries({ store, cycles: 0, webhooks: 1, writers: 1 });
  expect(report.faults).toEqual(['no write was acknowledged']);
});

it('streams without a write are a fault', async () => {
  const store = await readOnlyStore();
  const report = await cutStreams({ store, nodes: 1, cuts: 1_000, readers: 2, restarts: 0 });
  expect(report.faults).toContain('a write was answered 403');
});
