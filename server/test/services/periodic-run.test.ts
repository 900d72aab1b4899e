import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PeriodicRun } from '../../src/services/periodic-run.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that a test ends, one run after the other. */
function heldWork() {
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  const periodic = new PeriodicRun(work, { everyMs: 1_000, onFailure: () => undefined });
  return { ends, periodic };
}

it('runs once for all who ask while a run is under way, after that run', async () => {
  const { ends, periodic } = heldWork();
  const first = periodic.run();
  await setImmediate();
  const others = [periodic.run(), periodic.run()];
  await setImmediate();
  expect(ends).toHaveLength(1);
  ends[0]!();
  await first;
  await setImmediate();
  expect(ends).toHaveLength(2);
  ends[1]!();
  await Promise.all(others);
  await setImmediate();
  expect(ends).toHaveLength(2);
});

it('adds no run while one takes longer than a period, and goes on when it has ended', async () => {
  const { ends, periodic } = heldWork();
  const started = periodic.start();
  await setImmediate();
  vi.advanceTimersByTime(5_000);
  ends[0]!();
  await started;
  await setImmediate();
  expect(ends).toHaveLength(1);
  vi.advanceTimersByTime(1_000);
  await setImmediate();
  expect(ends).toHaveLength(2);
});

it('waits at a stop for the run under way and for the one that was asked for', async () => {
  const { ends, periodic } = heldWork();
  void periodic.start();
  await setImmediate();
  void periodic.run();
  let isStopped = false;
  const stopped = periodic.stop().then(() => {
    isStopped = true;
  });
  ends[0]!();
  await setImmediate();
  expect(isStopped).toBe(false);
  ends[1]!();
  await stopped;
  vi.advanceTimersByTime(5_000);
  await setImmediate();
  expect(ends).toHaveLength(2);
});

it('tells those who ask of a failure, reports that of a periodic run, and runs again', async () => {
  const failures: unknown[] = [];
  const work = vi.fn(() => Promise.reject(new Error('broken')));
  const periodic = new PeriodicRun(work, {
    everyMs: 1_000,
    onFailure: (err) => failures.push(err),
  });
  await expect(periodic.run()).rejects.toThrow('broken');
  expect(failures).toEqual([]);
  await periodic.start();
  vi.advanceTimersByTime(1_000);
  await setImmediate();
  await periodic.stop();
  expect(work).toHaveBeenCalledTimes(3);
  expect(failures).toHaveLength(2);
});
