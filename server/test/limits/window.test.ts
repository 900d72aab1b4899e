import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/domain/durations.ts';
import type { Counters } from '../../src/domain/plan.ts';
import {
  admittedAgainAt,
  exhaustedWindow,
  openWindows,
  pullBack,
  unopenedCounters,
  viewsOf,
} from '../../src/limits/window.ts';

const noon = Date.UTC(2031, 0, 15, 12);
const midnight = Date.UTC(2031, 0, 16);
const limits = { perMinute: 10, perDay: 100 };

function opened(now: number, minuteUsed: number, dayUsed: number): Counters {
  const counters = unopenedCounters();
  openWindows(counters, now);
  return { ...counters, minuteUsed, dayUsed };
}

test('shows unopened windows as the ones that a request would open now', () => {
  expect(viewsOf(unopenedCounters(), limits, noon)).toEqual([
    { name: 'minute', limit: 10, remaining: 10, resetAt: noon + MINUTE_MS },
    { name: 'day', limit: 100, remaining: 100, resetAt: midnight },
  ]);
});

test('opens a minute at the request and a day at midnight UTC', () => {
  const counters = unopenedCounters();
  expect(openWindows(counters, noon)).toBe(true);
  expect(counters.minuteStart).toBe(noon);
  expect(counters.dayStart).toBe(midnight - DAY_MS);
});

test('keeps a window to its last millisecond and replaces it at its end', () => {
  const counters = opened(noon, 10, 10);
  expect(openWindows(counters, noon + MINUTE_MS - 1)).toBe(false);
  expect(exhaustedWindow(counters, { limits, cost: 1 }, noon + MINUTE_MS - 1)).toBe('minute');
  expect(exhaustedWindow(counters, { limits, cost: 1 }, noon + MINUTE_MS)).toBeUndefined();
  expect(openWindows(counters, noon + MINUTE_MS)).toBe(true);
  expect(counters).toMatchObject({ minuteStart: noon + MINUTE_MS, minuteUsed: 0, dayUsed: 10 });
});

test('a minute continues over midnight while a new day begins', () => {
  const counters = opened(midnight - 1, 4, 100);
  expect(exhaustedWindow(counters, { limits, cost: 1 }, midnight - 1)).toBe('day');
  expect(exhaustedWindow(counters, { limits, cost: 1 }, midnight)).toBeUndefined();
  openWindows(counters, midnight);
  expect(counters).toEqual({
    minuteStart: midnight - 1,
    minuteUsed: 4,
    dayStart: midnight,
    dayUsed: 0,
  });
});

test('admits up to the limit exactly, and a cost as a whole', () => {
  expect(exhaustedWindow(opened(noon, 9, 9), { limits, cost: 1 }, noon)).toBeUndefined();
  expect(exhaustedWindow(opened(noon, 10, 10), { limits, cost: 1 }, noon)).toBe('minute');
  expect(exhaustedWindow(opened(noon, 7, 7), { limits, cost: 3 }, noon)).toBeUndefined();
  expect(exhaustedWindow(opened(noon, 7, 7), { limits, cost: 4 }, noon)).toBe('minute');
  expect(exhaustedWindow(opened(noon, 0, 97), { limits, cost: 4 }, noon)).toBe('day');
});

test('names the day when both windows are spent, and waits for both', () => {
  const counters = opened(midnight - 1_000, 10, 100);
  expect(exhaustedWindow(counters, { limits, cost: 1 }, midnight - 1_000)).toBe('day');
  const end = midnight - 1_000 + MINUTE_MS;
  expect(admittedAgainAt(counters, { limits, cost: 1 }, midnight - 1_000)).toBe(end);
});

test('shows nothing left, never less, when more was used than a new plan allows', () => {
  const [minute, day] = viewsOf(opened(noon, 500, 500), limits, noon);
  expect([minute.remaining, day.remaining]).toEqual([0, 0]);
});

test('ends a window one length from now when the clock was set back before it', () => {
  const counters = opened(midnight + 5_000, 10, 100);
  pullBack(counters, midnight - 5_000);
  expect(viewsOf(counters, limits, midnight - 5_000)).toEqual([
    { name: 'minute', limit: 10, remaining: 0, resetAt: midnight - 5_000 + MINUTE_MS },
    { name: 'day', limit: 100, remaining: 0, resetAt: midnight - 5_000 + DAY_MS },
  ]);
});

test('whatever the clock does, no window ends later than its length from now', () => {
  const instants = fc.array(fc.integer({ min: 0, max: 4 * DAY_MS }), { minLength: 1 });
  fc.assert(
    fc.property(instants, (times) => {
      const counters = unopenedCounters();
      for (const time of times) {
        pullBack(counters, time);
        openWindows(counters, time);
        const [minute, day] = viewsOf(counters, limits, time);
        expect(minute.resetAt).toBeGreaterThan(time);
        expect(minute.resetAt).toBeLessThanOrEqual(time + MINUTE_MS);
        expect(day.resetAt).toBeGreaterThan(time);
        expect(day.resetAt).toBeLessThanOrEqual(time + DAY_MS);
      }
    }),
  );
});

test('the retry time is true for any state', () => {
  const state = fc.record({
    minute: fc.integer({ min: 0, max: MINUTE_MS - 1 }),
    minuteUsed: fc.integer({ min: 0, max: 12 }),
    dayUsed: fc.integer({ min: 0, max: 105 }),
    cost: fc.integer({ min: 1, max: 10 }),
  });
  fc.assert(
    fc.property(state, ({ minute, minuteUsed, dayUsed, cost }) => {
      const now = midnight - 30_000;
      const counters = opened(now - minute, minuteUsed, dayUsed);
      const at = admittedAgainAt(counters, { limits, cost }, now);
      expect(exhaustedWindow(counters, { limits, cost }, at)).toBeUndefined();
      if (at > now) expect(exhaustedWindow(counters, { limits, cost }, at - 1)).toBeDefined();
    }),
  );
});
