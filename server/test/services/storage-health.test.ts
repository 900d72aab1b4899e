import { expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { StorageHealth } from '../../src/services/storage-health.ts';

it('asks the database once for all who ask within a second, also when it fails', async () => {
  let pings = 0;
  let isAway = false;
  const ping = async () => {
    pings += 1;
    if (isAway) throw new Error('away');
    return Date.now();
  };
  const store = { ping } as unknown as Datastore;
  const clock = { now: () => Date.now() };
  const open = () => new StorageHealth({ store, clock, onClockSkew: () => undefined });
  const health = open();
  await Promise.all(Array.from({ length: 1_000 }, () => health.check()));
  await health.check();
  expect(pings).toBe(1);
  isAway = true;
  const failing = open();
  for (let n = 0; n < 10; n++) await expect(failing.check()).rejects.toThrow('away');
  expect(pings).toBe(2);
});
