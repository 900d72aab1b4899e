const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
const YEAR_0_MS = Date.parse('0000-01-01T00:00:00Z');
const YEAR_9999_END_MS = Date.parse('9999-12-31T23:59:59.999Z');

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

const DAY_MS = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
let lastDay = Number.NaN;
let lastDate = '';

/**
 * RFC 3339 in UTC, with a fraction only where there is one. `toISOString` is a large part of the cost of a list, so it
 * formats only the date, and only when the day has changed.
 */
export function formatInstant(instant: number): string {
  const day = Math.floor(instant / DAY_MS);
  if (day !== lastDay) {
    lastDate = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    lastDay = day;
  }
  const milliseconds = instant - day * DAY_MS;
  const seconds = Math.floor(milliseconds / 1000);
  const time = `${twoDigits[Math.floor(seconds / 3600)]}:${twoDigits[Math.floor(seconds / 60) % 60]}:${twoDigits[seconds % 60]}`;
  const fraction = Math.floor(milliseconds % 1000);
  return `${lastDate}${time}${fraction === 0 ? '' : `.${String(fraction).padStart(3, '0')}`}Z`;
}

function offsetMilliseconds(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
