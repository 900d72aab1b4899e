// Numbers, instants and plurals as the reader's language writes them.

const languages = globalThis.navigator?.languages ?? [];
const locale = languages.find((language) => language.startsWith('en')) ?? 'en-GB';

/** A format is made when it is first used: making one takes milliseconds, and no screen uses them all. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const numbers = lazily(() => new Intl.NumberFormat(locale));
const signed = lazily(() => new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' }));
const short = lazily(
  () => new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 }),
);
const percents = lazily(() => new Intl.NumberFormat(locale, { style: 'percent' }));
const plurals = lazily(() => new Intl.PluralRules(locale));
const relative = lazily(() => new Intl.RelativeTimeFormat(locale, { style: 'short' }));
const justNow = lazily(() =>
  new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second'),
);

/** The first format of a page takes 20 ms. It is made while the page waits for the session. */
export const startFormats = () => numbers();

type DateOptions = Intl.DateTimeFormatOptions;

function format(options: DateOptions): (at: Instant) => string {
  const made = lazily(() => new Intl.DateTimeFormat(locale, options));
  return (at) => made().format(new Date(at));
}

const DAY: DateOptions = { day: 'numeric', month: 'short' };
const DATE: DateOptions = { ...DAY, year: 'numeric' };
const TIME: DateOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

type Instant = string | number | Date;

/** "12.5K", "150M". */
export const shortNumber = (value: number) => short().format(value);

/** With a minus sign, which is as wide as a plus sign: a hyphen is not. */
export const number = (value: number) => numbers().format(value).replace('-', '−');
export const signedNumber = (value: number) => signed().format(value).replace('-', '−');
export const percent = (share: number) =>
  share > 0 && share < 0.01 ? `<${percents().format(0.01)}` : percents().format(share);
export const time = format(TIME);
export const utcTime = (at: Instant) => new Date(at).toISOString().slice(11, 16);
export const day = format(DAY);
export const utcDay = format({ ...DAY, timeZone: 'UTC' });
export const date = format(DATE);
export const longDay = format({ weekday: 'long', day: 'numeric', month: 'long' });
export const dateTime = format({ ...DATE, ...TIME });
export const dateTimeSeconds = format({ ...DATE, ...TIME, second: '2-digit' });

/** `count(3, 'pet')` is "3 pets"; give the plural where it is not made by an s. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${plurals().select(value) === 'one' ? one : many}`;
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** "2 min. ago", "in 3 days". A wait of 12 hours is still "in 12 hours" some seconds after it began. */
export function ago(at: Instant, now: number): string {
  const exact = (new Date(at).getTime() - now) / 1000;
  const seconds = Math.round(exact > 0 ? exact * 1.01 : exact);
  const found = UNITS.find(([, each]) => Math.abs(seconds) >= each);
  if (!found) return justNow();
  const [unit, length] = found;
  // Never "tomorrow": 47 hours from now it is the day after.
  return relative().format(Math.trunc(seconds / length), unit);
}

/** "2 min. ago" for what has happened: never in the future, although `now` is some seconds old. */
export function past(at: Instant, now: number): string {
  return ago(at, Math.max(now, new Date(at).getTime()));
}

/** "16 s", "12 min", "5 h 30 min": what is left of a wait. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
