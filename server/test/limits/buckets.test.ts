import { expect, test } from 'vitest';
import { Buckets } from '../../src/limits/buckets.ts';

const start = Date.UTC(2031, 0, 15);
const MINUTE = 60_000;

test('holds at most its number of names in a flood', () => {
  const buckets = new Buckets(10_000);
  const before = process.memoryUsage().heapUsed;
  for (let address = 0; address < 200_000; address++) {
    const { refusal } = buckets.admit(`10.0.${address}`, 60, start + Math.floor(address / 1_000));
    if (refusal) throw new Error('a name of its own was refused');
    if (buckets.size > 10_000) throw new Error(`${buckets.size} names are held`);
  }
  expect(buckets.size).toBeGreaterThanOrEqual(5_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
});

test('drops names whose minute is over', () => {
  const buckets = new Buckets(10_000);
  for (let address = 0; address < 5_000; address++) buckets.admit(`${address}`, 60, start);
  buckets.admit('another', 60, start + MINUTE);
  buckets.admit('yet another', 60, start + 2 * MINUTE);
  expect(buckets.size).toBe(2);
});

test('drops the oldest names first when it is full', () => {
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
  expect(buckets.peek('an address', 5, start).windows[0]!.remaining).toBe(5);
  expect(buckets.size).toBe(0);
});

test('takes over a larger count and ignores a smaller one', () => {
  const buckets = new Buckets(2);
  buckets.learn('an address', { start: start - 10_000, used: 4 }, start);
  expect(buckets.admit('an address', 5, start).refusal).toBeUndefined();
  buckets.learn('an address', { start: start - 10_000, used: 4 }, start);
  expect(buckets.admit('an address', 5, start).refusal?.retryAt).toBe(start + 50_000);
});
