// A run that breaks off leaves no process and no listener behind.

import { expect, it, onTestFinished } from 'vitest';
import { breakDeliveries } from '../../../torture/deliveries.ts';
import { newStore } from '../../../torture/store.ts';
import { cutStreams } from '../../../torture/streams/cut-streams.ts';

function heldResources(): number {
  const isHeld = (name: string) => ['ProcessWrap', 'TCPServerWrap'].includes(name);
  return process.getActiveResourcesInfo().filter(isHeld).length;
}

function breakOff(): never {
  throw new Error('broken off');
}

it('deliveries', async () => {
  const store = await newStore();
  onTestFinished(store.remove);
  const before = heldResources();
  // The URL of the webhook is not allowed.
  const run = breakDeliveries({ store, cycles: 1, webhooks: 1, writers: 1 });
  await expect(run).rejects.toThrow('POST /webhooks: 400');
  await expect.poll(heldResources).toBeLessThanOrEqual(before);
});

it('streams', async () => {
  const store = await newStore();
  onTestFinished(store.remove);
  const before = heldResources();
  const options = { store, nodes: 1, cuts: 100, readers: 2, restarts: 0 };
  const run = cutStreams({ ...options, onProgress: breakOff });
  await expect(run).rejects.toThrow('broken off');
  await expect.poll(heldResources).toBeLessThanOrEqual(before);
});
