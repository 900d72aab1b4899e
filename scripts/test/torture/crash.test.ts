import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { crash } from '../../../torture/crash.ts';
import { breakDeliveries } from '../../../torture/deliveries.ts';
import { newStore } from '../../../torture/store.ts';

const main = fileURLToPath(new URL('dying-service.ts', import.meta.url));

it('a service that ends by itself under load is a fault, and no kill', async () => {
  const newDyingStore = async () => {
    // Enough to open the store of a workload, and too few for a kill.
    return { ...(await newStore({ RESPONSES: '20' })), main };
  };
  const report = await crash({ newStore: newDyingStore, cycles: 1, writers: 2 });
  expect(report.faults).toEqual([expect.stringContaining('ended by itself with 3')]);
  expect(report.kills).toBe(0);
  // The store shows the reason.
  expect(readdirSync(report.keptIn!)).toContain('petstore.db');
});

it('a service that ends by itself while it delivers is a fault, and no kill', async () => {
  const environment = { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8', PETSTORE_WEBHOOK_VERIFY: 'none' };
  // It ends once the webhook exists.
  const store = { ...(await newStore({ ...environment, RESPONSES: '1' })), main };
  onTestFinished(store.remove);
  const report = await breakDeliveries({ store, cycles: 1, webhooks: 1, writers: 1 });
  expect(report.faults).toEqual([expect.stringContaining('ended by itself with 3')]);
  expect(report.kills).toBe(0);
});
