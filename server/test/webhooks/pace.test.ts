import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Pace } from '../../src/webhooks/pace.ts';

/** Takes tokens as fast as the pace allows, and gives the instants. */
function takeAll(perSecond: number, count: number): number[] {
  const pace = new Pace();
  const taken: number[] = [];
  for (let now = 5_000; taken.length < count; ) {
    const waitMs = pace.take(perSecond, now);
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
  const pace = new Pace();
  expect([pace.take(1, 9_000), pace.take(1, 9_000) > 0, pace.take(1, 1_000) > 0]).toEqual([
    0,
    true,
    true,
  ]);
});
