import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TokenBucket } from '../../src/webhooks/token-bucket.ts';

/** Takes tokens as fast as the bucket allows, and gives the instants. */
function takeAll(perSecond: number, count: number): number[] {
  const bucket = new TokenBucket();
  const taken: number[] = [];
  for (let now = 5_000; taken.length < count; ) {
    const waitMs = bucket.take(perSecond, now);
    if (waitMs === 0) taken.push(now);
    now += waitMs;
  }
  return taken;
}

it('lets a second of requests through at once, and then as many a second as it is set to', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 300 }),
      (rate, count) => {
        const taken = takeAll(rate, count);
        for (const [at, instant] of taken.entries()) {
          const earliest = 5_000 + Math.max(0, (at + 1 - rate) / rate) * 1000;
          expect(instant).toBeGreaterThanOrEqual(Math.floor(earliest));
          expect(instant).toBeLessThanOrEqual(Math.ceil(earliest) + at + 1);
        }
      },
    ),
  );
});

it('gives nothing back when the clock is set back', () => {
  const bucket = new TokenBucket();
  expect([bucket.take(1, 9_000), bucket.take(1, 9_000) > 0, bucket.take(1, 1_000) > 0]).toEqual([
    0,
    true,
    true,
  ]);
});
