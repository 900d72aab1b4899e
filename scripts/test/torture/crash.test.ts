import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { crash } from '../../../torture/crash.ts';
import { newStore } from '../../../torture/store.ts';

const main = fileURLToPath(new URL('dying-service.ts', import.meta.url));

it('a service that ends by itself under load is a fault, and no kill', async () => {
  const newDyingStore = async () => {
    const store = { ...(await newStore()), main };
    return store;
  };
  const report = await crash({ newStore: newDyingStore, cycles: 1, writers: 2 });
  expect(report.faults).toEqual([expect.stringContaining('ended by itself with 3')]);
  expect(report.kills).toBe(0);
});
