import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KeyedSemaphore } from '../../src/lib/keyed-semaphore.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const later = () => performance.now() + 1_000;

it('admits as many holders of a key as it may, and any number of other keys', async () => {
  const semaphore = new KeyedSemaphore<string>(2);
  const admitted: string[] = [];
  for (const key of ['a', 'a', 'a', 'b']) {
    void semaphore.acquire(key, later()).then(() => admitted.push(key));
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(admitted.toSorted()).toEqual(['a', 'a', 'b']);
});

it('admits the others in the order in which they came', async () => {
  const semaphore = new KeyedSemaphore<number>(1);
  const release = await semaphore.acquire(1, later());
  const admitted: number[] = [];
  const users = [1, 2, 3].map(async (user) => {
    const done = await semaphore.acquire(1, later());
    admitted.push(user);
    done!();
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(admitted).toEqual([]);
  release!();
  await Promise.all(users);
  expect(admitted).toEqual([1, 2, 3]);
  expect(semaphore.isHeld(1)).toBe(false);
});

it('gives up at the deadline, and admits those that still wait', async () => {
  const semaphore = new KeyedSemaphore<number>(1);
  const release = await semaphore.acquire(1, later());
  const hasty = semaphore.acquire(1, performance.now() + 10);
  const patient = semaphore.acquire(1, later());
  await vi.advanceTimersByTimeAsync(10);
  expect(await hasty).toBeUndefined();
  release!();
  const last = await patient;
  expect(last).toBeDefined();
  last!();
  expect(semaphore.isHeld(1)).toBe(false);
});
