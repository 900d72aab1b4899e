import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advise } from '../../src/domain/advice.ts';
import { plans } from '../../src/domain/plan.ts';

const MINUTES_A_DAY = 1_440;

const anyMinutes = fc.uniqueArray(fc.nat(3 * MINUTES_A_DAY), { maxLength: 40 }).chain((minutes) =>
  fc
    .array(fc.oneof(fc.nat(80), fc.nat(5_000)), {
      minLength: minutes.length,
      maxLength: minutes.length,
    })
    .map((requests) =>
      minutes.sort((a, b) => a - b).map((minute, at) => ({ minute, requests: requests[at]! })),
    ),
);

const refusedBy = (minutes: { minute: number; requests: number }[]) =>
  Object.fromEntries(
    advise(minutes).replays.map(({ plan, refusedByMinute, refusedByDay }) => [
      plan,
      [refusedByMinute, refusedByDay],
    ]),
  );

describe('advise', () => {
  it('recommends the cheapest plan that would have refused nothing', () => {
    const recommended = (requests: number) => advise([{ minute: 0, requests }]).recommended;
    expect(advise([]).recommended).toBe('free');
    expect([60, 61, 300, 301, 1_000, 1_001].map(recommended)).toEqual([
      'free',
      'pro',
      'pro',
      'business',
      'business',
      'enterprise',
    ]);
  });

  it('finds that a day is too full although no minute is', () => {
    const minutes = Array.from({ length: 21 }, (_, minute) => ({ minute, requests: 50 }));
    expect(refusedBy(minutes)).toEqual({ free: [0, 50], pro: [0, 0], business: [0, 0] });
    expect(advise(minutes).recommended).toBe('pro');
  });

  it('resets with each UTC day', () => {
    const evening = Array.from({ length: 20 }, (_, at) => ({
      minute: MINUTES_A_DAY - 20 + at,
      requests: 50,
    }));
    const morning = { minute: MINUTES_A_DAY, requests: 50 };
    expect(refusedBy([...evening, morning]).free).toEqual([0, 0]);
  });

  it('does not count what the minute refused towards the day', () => {
    const minutes = Array.from({ length: 16 }, (_, minute) => ({ minute, requests: 100 }));
    expect(refusedBy(minutes).free).toEqual([16 * 40, 0]);
  });

  it('refuses per day what its minutes admit beyond the day, for any traffic', () => {
    const property = fc.property(anyMinutes, (minutes) => {
      const { requests, busiestMinute, replays } = advise(minutes);
      expect(requests).toBe(minutes.reduce((sum, minute) => sum + minute.requests, 0));
      expect(busiestMinute).toBe(Math.max(0, ...minutes.map((minute) => minute.requests)));
      const days = Object.groupBy(minutes, ({ minute }) => Math.floor(minute / MINUTES_A_DAY));
      for (const { plan, refusedByMinute, refusedByDay } of replays) {
        const { perMinute, perDay } = plans.find(({ id }) => id === plan)!.limits!;
        const admitted = Object.values(days).map((day) =>
          Math.min(
            perDay,
            day!.reduce((sum, minute) => sum + Math.min(perMinute, minute.requests), 0),
          ),
        );
        const total = admitted.reduce((sum, ofDay) => sum + ofDay, 0);
        expect(refusedByMinute + refusedByDay).toBe(requests - total);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('never refuses more on a larger plan', () => {
    const property = fc.property(anyMinutes, (minutes) => {
      const refused = advise(minutes).replays.map((r) => r.refusedByMinute + r.refusedByDay);
      expect(refused).toEqual([...refused].sort((a, b) => b - a));
    });
    fc.assert(property, { numRuns: 500 });
  });
});
