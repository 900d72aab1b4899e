import { expect, it } from 'vitest';
import { Workload } from '../../src/http/workload.ts';

const RUNNING_MAX = 4_096;
const STEP_MS = 10;

/** A service that can complete `perSecond` requests, and clients that send `offered` a second for some seconds. */
function simulate({
  perSecond,
  offered,
  seconds,
}: Record<'perSecond' | 'offered' | 'seconds', number>) {
  let now = 0;
  const workload = new Workload({ runningMax: RUNNING_MAX, now: () => now });
  const waiting: number[] = [];
  const waits: number[] = [];
  let refused = 0;
  let due = 0;
  let done = 0;
  for (; now < seconds * 1_000; now += STEP_MS) {
    for (due += (offered * STEP_MS) / 1_000; due >= 1; due -= 1) {
      if (workload.isFull('write')) {
        refused += 1;
        continue;
      }
      workload.start('write');
      waiting.push(now);
    }
    for (done += (perSecond * STEP_MS) / 1_000; done >= 1; done -= 1) {
      const startedAt = waiting.shift();
      if (startedAt === undefined) continue;
      workload.end('write');
      waits.push(now - startedAt);
    }
  }
  return { refused, completed: waits.length, longestMs: Math.max(...waits), workload };
}

it('refuses nothing while the service keeps up', () => {
  const { refused, completed } = simulate({ perSecond: 2_400, offered: 2_300, seconds: 5 });
  expect(refused).toBe(0);
  expect(completed).toBeGreaterThan(11_000);
});

it.each([400, 2_400, 10_000])(
  'admits what fits, and keeps a service busy that can do %i a second',
  (perSecond) => {
    const { refused, completed, longestMs } = simulate({
      perSecond,
      offered: 2 * perSecond,
      seconds: 10,
    });
    // Storage rejects what has waited for a second.
    expect(longestMs).toBeLessThan(1_000);
    expect(completed).toBeGreaterThan(0.95 * perSecond * 10);
    expect(refused).toBeGreaterThan(0.5 * perSecond * 10);
  },
);

it('refuses reads for the sake of reads alone', () => {
  const { workload } = simulate({ perSecond: 200, offered: 4_000, seconds: 3 });
  expect(workload.isFull('write')).toBe(true);
  expect(workload.isFull('read')).toBe(false);
});

it('admits a crowd again that arrives after the overload', () => {
  let now = 0;
  const workload = new Workload({ runningMax: RUNNING_MAX, now: () => now });
  for (let n = 0; n < 1_000; n += 1) workload.start('write');
  now = 250;
  workload.isFull('write');
  now = 500;
  expect(workload.isFull('write')).toBe(true);
  for (let n = 0; n < 1_000; n += 1) workload.end('write');
  now = 800;
  expect(workload.isFull('write')).toBe(false);
  for (let n = 0; n < 1_000; n += 1) workload.start('write');
  expect(workload.isFull('write')).toBe(false);
});
