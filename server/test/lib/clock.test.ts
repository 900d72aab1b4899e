import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forwardClock, patientClock, systemClock } from '../../src/lib/clock.ts';

const HOUR = 3_600_000;

/** A clock whose sources the test sets. */
function newClock() {
  const sources = { wall: Date.UTC(2031, 0, 15), monotonic: 5_000 };
  const clock = forwardClock({
    wall: () => sources.wall,
    monotonic: () => sources.monotonic,
  });
  const pass = (milliseconds: number) => {
    sources.wall += milliseconds;
    sources.monotonic += milliseconds;
  };
  return { clock, sources, pass };
}

test('shows the time of the wall clock', () => {
  const { clock, sources, pass } = newClock();
  expect(clock.now()).toBe(sources.wall);
  pass(1_234);
  expect(clock.now()).toBe(sources.wall);
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
});

test('follows the wall clock forward at once, as after a sleep of the machine', () => {
  const { clock, sources } = newClock();
  clock.now();
  sources.wall += 10 * HOUR;
  expect(clock.now()).toBe(sources.wall);
});

test('goes on at its pace when the wall clock is set back', () => {
  const { clock, sources, pass } = newClock();
  const before = clock.now();
  sources.wall -= 10 * HOUR;
  expect(clock.now()).toBe(before);
  pass(500);
  expect(clock.now()).toBe(before + 500);
});

test('follows the wall clock again once it has caught up', () => {
  const { clock, sources, pass } = newClock();
  clock.now();
  sources.wall -= HOUR;
  pass(1_000);
  clock.now();
  sources.wall += 3 * HOUR;
  expect(clock.now()).toBe(sources.wall);
});

test('never runs backwards, whatever is done to the wall clock', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer(), fc.nat({ max: 10_000 }))), (steps) => {
      const { clock, sources, pass } = newClock();
      sources.monotonic += 0.123456789;
      let last = clock.now();
      for (const [jump, passed] of steps) {
        sources.wall += jump;
        pass(passed);
        const now = clock.now();
        expect(now).toBeGreaterThanOrEqual(last);
        expect(now).toBeGreaterThanOrEqual(sources.wall);
        last = now;
      }
    }),
  );
});

test('a patient clock ignores that its clock is set ahead, and follows it back', () => {
  const { sources, pass } = newClock();
  const patient = patientClock({ now: () => sources.wall }, () => sources.monotonic);
  const start = patient.now();
  expect(start).toBe(sources.wall);
  pass(HOUR);
  expect(patient.now()).toBe(start + HOUR);
  sources.wall += 40 * 24 * HOUR;
  pass(HOUR);
  expect(patient.now()).toBe(start + 2 * HOUR);
  sources.wall = start;
  expect(patient.now()).toBe(start);
});
