import { expect, test } from 'vitest';
import { ago, number, percent, shortNumber, signedNumber } from '../../src/ui/format.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const HOUR_MS = 3_600_000;

test('a time that is past counts whole units, and never more than have gone by', () => {
  expect(ago(now - 2 * HOUR_MS + 1_000, now)).toMatch(/^1 hr\.? ago$/);
  expect(ago(now - 2 * HOUR_MS, now)).toMatch(/^2 hr\.? ago$/);
});

test('a wait that has just begun is named by its whole length', () => {
  expect(ago(now + 12 * HOUR_MS - 10_000, now)).toMatch(/^in 12 hr\.?$/);
  expect(ago(now + HOUR_MS - 10_000, now)).toMatch(/^in 1 hr\.?$/);
  expect(ago(now + 11.5 * HOUR_MS, now)).toMatch(/^in 11 hr\.?$/);
});

test('negative numbers have a minus sign', () => {
  expect(number(-1_200)).toBe('−1,200');
  expect(signedNumber(-6)).toBe('−6');
  expect(signedNumber(6)).toBe('+6');
});

test('a share that is small is not shown as none', () => {
  expect(percent(0)).toBe('0%');
  expect(percent(0.000_05)).toBe('<1%');
  expect(percent(0.5)).toBe('50%');
});

test('a day is 24 hours, and not named after the calendar', () => {
  // Noon on Thursday: 47 hours before it is Tuesday, 47 hours later Saturday.
  expect(ago(now - 47 * HOUR_MS, now)).toBe('1 day ago');
  expect(ago(now + 46 * HOUR_MS, now)).toBe('in 1 day');
  expect(ago(now - 31 * 24 * HOUR_MS, now)).toMatch(/^1 mo\.? ago$/);
  expect(ago(now, now)).toBe('now');
});

test('a short number keeps three digits', () => {
  expect(shortNumber(12_500)).toMatch(/^12\.5K$/i);
  expect(shortNumber(1_250_000)).toMatch(/^1\.25M$/i);
});
