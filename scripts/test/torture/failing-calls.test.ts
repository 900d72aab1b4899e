import { rmSync, symlinkSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { failCalls } from '../../../torture/faults/failing-calls.ts';
import { newStore } from '../../../torture/store.ts';

it('a run in which no call fails is a fault', async () => {
  const store = await newStore();
  // The calls of the service name the folder itself, so none is on a file of the link.
  const folder = `${store.folder}-link`;
  symlinkSync(store.folder, folder);
  onTestFinished(() => {
    rmSync(folder);
    store.remove();
  });
  const { failed, faults } = await failCalls({ ...store, folder }, [
    { error: 'EIO', isOnward: false },
  ]);
  expect(failed).toBe(0);
  expect(faults).toEqual(['EIO at call 1: no call was made to fail']);
});
