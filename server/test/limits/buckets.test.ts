import { expect, test } from 'vitest';
import { Buckets } from '../../src/limits/buckets.ts';

const start = Date.UTC(2031, 0, 15);
const MINUTE = 60_000;

test('holds at most its number of names, whatever is thrown at it', () => {
  const buckets = new Buckets(10_000);
  const before = process.memoryUsage().heapUsed;
  for (let address = 0; address < 1_000_000; address++) {
    const { refusal } = buckets.admit(`10.0.${address}`, 60, start + Math.floor(address / 1_000));
    if (refusal) throw new Error('a name of its own was refused');
    if (buckets.size > 10_000) throw new Error(`${buckets.size} names are held`);
  }
  expect(buckets.size).toBeGreaterThanOrEqual(5_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
});

test('lets go of names whose minute is over', () => {
  const buckets = new Buckets(10_000);
  for (let address = 0; address < 5_000; address++) buckets.admit(`${address}`, 60, start);
  buckets.admit('another', 60, start + MINUTE);
  buckets.admit('yet another', 60, start + 2 * MINUTE);
  expect(buckets.size).toBe(2);
});

test('lets the oldest make room, so that the latest stay counted', () => {
  const buckets = new Buckets(4);
  buckets.admit('zeroth', 1, start);
  buckets.admit('first', 1, start);
  buckets.admit('second', 1, start + 1);
  buckets.admit('fourth', 1, start + 1);
  buckets.admit('third', 1, start + 2);
  expect(buckets.admit('third', 1, start + 3).refusal?.retryAt).toBe(start + 2 + MINUTE);
  expect(buckets.admit('second', 1, start + 3).refusal?.retryAt).toBe(start + 1 + MINUTE);
  expect(buckets.admit('first', 1, start + 3).refusal).toBeUndefined();
});

test('peeking opens nothing and counts nothing', () => {
  const buckets = new Buckets(2);
  expect(buckets.peek('somebody', 5, start).windows[0]!.remaining).toBe(5);
  expect(buckets.size).toBe(0);
});

test('goes on from what another has counted, and never behind its own count', () => {
  const buckets = new Buckets(2);
  buckets.learn('somebody', { start: start - 10_000, used: 4 }, start);
  expect(buckets.admit('somebody', 5, start).refusal).toBeUndefined();
  buckets.learn('somebody', { start: start - 10_000, used: 4 }, start);
  expect(buckets.admit('somebody', 5, start).refusal?.retryAt).toBe(start + 50_000);
});

test('is not slowed by a flood: names cost the same when each has to make room', () => {
  const timeOf = (max: number) => {
    const buckets = new Buckets(max);
    const startedAt = performance.now();
    for (let name = 0; name < 200_000; name++) buckets.admit(`${name}`, 60, start);
    return performance.now() - startedAt;
  };
  const withRoom = timeOf(1_000_000);
  expect(timeOf(50_000)).toBeLessThan(10 * withRoom + 200);
});
