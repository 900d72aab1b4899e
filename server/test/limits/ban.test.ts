import { expect, test } from 'vitest';
import {
  type BanPolicy,
  isUnsaved,
  liftBan,
  newOffender,
  type Offender,
  recordRefusal,
  updateBanEnd,
} from '../../src/limits/ban.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 1_440 * MINUTE;
const start = Date.UTC(2031, 0, 15);
const policy: BanPolicy = { refusalsToBan: 30, ladderMs: [MINUTE, 5 * MINUTE, 30 * MINUTE] };

function refuse(offender = newOffender(), times: number, from: number, every = 0) {
  let left = policy.refusalsToBan;
  for (let count = 0; count < times; count++) {
    left = recordRefusal(offender, from + count * every, policy);
  }
  return { offender, left };
}

function isBanned(offender: Offender, now: number): boolean {
  updateBanEnd(offender, now, policy);
  return offender.until > 0;
}

test('bans with the 30th refusal, not with the 29th', () => {
  const { offender, left } = refuse(undefined, 29, start);
  expect(left).toBe(1);
  expect(isBanned(offender, start)).toBe(false);
  expect(recordRefusal(offender, start, policy)).toBe(0);
  expect(isBanned(offender, start)).toBe(true);
});

test('counts refusals of less than 60 s ago, and forgets them as they pass', () => {
  const { offender } = refuse(undefined, 29, start);
  expect(recordRefusal(offender, start + MINUTE, policy)).toBe(29);
  const other = refuse(undefined, 29, start).offender;
  expect(recordRefusal(other, start + MINUTE - 1, policy)).toBe(0);
});

test('never bans for any number of refusals that are far enough apart', () => {
  const { offender, left } = refuse(undefined, 10_000, start, Math.ceil(MINUTE / 29));
  expect(left).toBe(1);
  expect(offender.strikes).toBe(0);
  expect(offender.refusals.length).toBeLessThan(200);
});

test('ends a ban by itself, to the millisecond', () => {
  const { offender } = refuse(undefined, 30, start);
  expect(isBanned(offender, start + MINUTE - 1)).toBe(true);
  expect(isBanned(offender, start + MINUTE)).toBe(false);
});

test('begins to count anew after a ban', () => {
  const { offender } = refuse(undefined, 30, start);
  expect(recordRefusal(offender, start + MINUTE, policy)).toBe(29);
});

test('climbs the ladder and stays on its last step', () => {
  const offender = newOffender();
  let now = start;
  const lengths = [1, 2, 3, 4, 5].map(() => {
    refuse(offender, 30, now);
    const length = offender.until - now;
    now = offender.until;
    return length / MINUTE;
  });
  expect(lengths).toEqual([1, 5, 30, 30, 30]);
  expect(offender.strikes).toBe(5);
});

test('starts the ladder anew a day after the end of the ban, not a moment sooner', () => {
  for (const [pause, strikes] of [
    [DAY - 1, 2],
    [DAY, 1],
  ] as const) {
    const { offender } = refuse(undefined, 30, start);
    refuse(offender, 30, offender.until + pause);
    expect(offender.strikes).toBe(strikes);
  }
});

test('repeats a ban of a day: the ban itself is no day without a refusal', () => {
  const daily = { refusalsToBan: 1, ladderMs: [DAY] };
  const offender = newOffender();
  recordRefusal(offender, start, daily);
  recordRefusal(offender, offender.until, daily);
  expect(offender.strikes).toBe(2);
});

test('keeps the ladder for a key that is refused within every day', () => {
  const { offender } = refuse(undefined, 30, start);
  for (let day = 1; day < 5; day++) recordRefusal(offender, start + day * (DAY - 1), policy);
  refuse(offender, 30, start + 5 * (DAY - 1));
  expect(offender.strikes).toBe(2);
});

test('lifts a ban and keeps its strike', () => {
  const { offender } = refuse(undefined, 30, start);
  liftBan(offender);
  expect(isBanned(offender, start)).toBe(false);
  refuse(offender, 30, start);
  expect(offender.until - start).toBe(5 * MINUTE);
});

test('keeps the length of a ban when the clock is set back, and ends it only once', () => {
  const { offender } = refuse(undefined, 30, start);
  expect(isBanned(offender, start - DAY)).toBe(true);
  expect(offender.until).toBe(start - DAY + MINUTE);
  expect(isBanned(offender, start - DAY + MINUTE)).toBe(false);
  expect(isBanned(offender, start - DAY)).toBe(false);
});

test('drops refusals that a clock set back has moved into the future', () => {
  const { offender } = refuse(undefined, 29, start);
  expect(recordRefusal(offender, start - SECOND, policy)).toBe(29);
});

test('has something to save only for a key that was ever banned', () => {
  const { offender } = refuse(undefined, 29, start);
  expect(isUnsaved(offender)).toBe(false);
  recordRefusal(offender, start, policy);
  expect(isUnsaved(offender)).toBe(true);
  const loaded = newOffender({ since: 1, until: 2, strikes: 1, quietSince: 1 });
  expect(isUnsaved(loaded)).toBe(false);
  recordRefusal(loaded, start, policy);
  expect(isUnsaved(loaded)).toBe(true);
});
