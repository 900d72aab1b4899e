import { expect, it, onTestFinished } from 'vitest';
import { failCalls } from '../../../torture/faults/failing-calls.ts';
import { failUnderLoad } from '../../../torture/faults/failing-load.ts';
import { newStore, type Store } from '../../../torture/store.ts';
import { repeats } from '../support/effort.ts';

async function store(): Promise<Store> {
  const created = await newStore();
  onTestFinished(created.remove);
  return created;
}

// `npm run torture -- --only calls` lets a disk be full for one call, too.
it.each([
  ['EIO, once or for good', 'EIO', [false, true]],
  ['ENOSPC', 'ENOSPC', [true]],
] as const)(
  'places an order whole or not at all when any call on its files fails with %s',
  async (_, error, ways) => {
    const step = repeats({ usual: 5, thorough: 1 });
    const plans = ways.map((isOnward) => ({ error, isOnward, step }));
    const { failed, faults } = await failCalls(await store(), plans);
    expect(faults).toEqual([]);
    // A page of the log is two writes, and an order changes several pages.
    expect(failed).toBeGreaterThan(20 / step);
  },
);

it('keeps what it has acknowledged when calls fail under many writers', async () => {
  const { failed, faults } = await failUnderLoad(await store(), repeats({ usual: 2, thorough: 5 }));
  expect(faults).toEqual([]);
  expect(failed).toBeGreaterThan(0);
});

it('ends instead of trying again when a flush fails, and recovers by a restart', async () => {
  const plan = { error: 'EIO', isOnward: false, isFlush: true } as const;
  const { failed, exits, faults } = await failCalls(await store(), [plan]);
  expect(faults).toEqual([]);
  expect(failed).toBeGreaterThan(0);
  expect(exits).toBe(failed);
});
