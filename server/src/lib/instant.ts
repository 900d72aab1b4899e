const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const YEAR_0_MS = Date.parse('0000-01-01T00:00:00Z');
const YEAR_9999_END_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** What a text must be, for messages that refuse it. */
export const INSTANT_FORM = 'an RFC 3339 date-time with offset, like 2026-01-31T09:00:00Z';

/**
 * Epoch milliseconds of an RFC 3339 date-time with offset. Undefined for any other text, for a date that is not in the
 * calendar (30 February), and outside the years 0 to 9999 in UTC.
 */
export function parseInstant(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', offset] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const dayMs = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(dayMs) || new Date(dayMs).getUTCDate() !== Number(day)) return undefined;
  const offsetMs = offsetMilliseconds(offset!);
  if (offsetMs === undefined) return undefined;
  const milliseconds = Number(`${fraction.slice(1, 4)}000`.slice(0, 3));
  const timeMs = (Number(hour) * 3600 + Number(minute) * 60 + Number(second)) * 1000 + milliseconds;
  const instant = dayMs + timeMs - offsetMs;
  return instant >= YEAR_0_MS && instant <= YEAR_9999_END_MS ? instant : undefined;
}

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const T = 0x54;
const Z = 0x5a;

/**
 * RFC 3339 in UTC, with a fraction only where there is one. For the years 0 to 9999; undefined stays undefined. A list has many of these:
 * `toISOString` takes three times as long, and `JSON.stringify` is slow with strings that were concatenated.
 */
export function formatInstant(instant: number): string;
export function formatInstant(instant: number | undefined): string | undefined;
export function formatInstant(instant: number | undefined): string | undefined {
  if (instant === undefined) return undefined;
  const date = new Date(instant);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + 1;
  const day = date.getUTCDate();
  const hour = date.getUTCHours();
  const minute = date.getUTCMinutes();
  const second = date.getUTCSeconds();
  const fraction = date.getUTCMilliseconds();
  if (!(year >= 0 && year <= 9999))
    throw new RangeError(`no instant of the years 0 to 9999: ${instant}`);
  const end =
    fraction === 0 ? [Z] : [DOT, digit(fraction, 100), digit(fraction, 10), digit(fraction, 1), Z];
  // biome-ignore format: one line for each part
  return String.fromCharCode(
    digit(year, 1000), digit(year, 100), digit(year, 10), digit(year, 1),
    DASH, digit(month, 10), digit(month, 1),
    DASH, digit(day, 10), digit(day, 1),
    T, digit(hour, 10), digit(hour, 1),
    COLON, digit(minute, 10), digit(minute, 1),
    COLON, digit(second, 10), digit(second, 1),
    ...end,
  );
}

function digit(value: number, unit: number): number {
  return ZERO + (Math.floor(value / unit) % 10);
}

function offsetMilliseconds(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
