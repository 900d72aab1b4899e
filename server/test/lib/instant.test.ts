import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../../src/lib/instant.ts';

const anyInstant = fc.date({
  min: new Date('0000-01-02T00:00:00Z'),
  max: new Date('9999-12-30T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('an instant', () => {
  it('reads back as it was written', () => {
    fc.assert(
      fc.property(anyInstant, (date) => {
        expect(parseInstant(formatInstant(date.getTime()))).toBe(date.getTime());
      }),
    );
  });

  it('is written as Date writes it, but for a fraction of zero, in any order', () => {
    fc.assert(
      fc.property(fc.array(anyInstant), (dates) => {
        const written = dates.map((date) => formatInstant(date.getTime()));
        expect(written).toEqual(dates.map((date) => date.toISOString().replace('.000Z', 'Z')));
      }),
    );
  });

  it('is the same moment in every offset', () => {
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(anyInstant, offset, (date, minutes) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        fc.pre(/^\d{4}-/.test(local));
        const pad = (n: number) => String(Math.floor(n)).padStart(2, '0');
        const size = Math.abs(minutes);
        const zone = `${minutes < 0 ? '-' : '+'}${pad(size / 60)}:${pad(size % 60)}`;
        expect(parseInstant(`${local}${zone}`)).toBe(date.getTime());
      }),
    );
  });

  it('is written in UTC, with a fraction only where there is one', () => {
    expect(formatInstant(Date.UTC(2026, 0, 31, 9))).toBe('2026-01-31T09:00:00Z');
    expect(formatInstant(Date.UTC(2026, 0, 31, 9) + 50)).toBe('2026-01-31T09:00:00.050Z');
  });

  it.each([
    ['2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z'],
    ['2026-01-31t09:00:00z', '2026-01-31T09:00:00Z'],
    ['2026-01-31T09:00:00+02:00', '2026-01-31T07:00:00Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2026-01-31T09:00:00-00:00', '2026-01-31T09:00:00Z'],
    ['2026-01-31T09:00:00.5Z', '2026-01-31T09:00:00.500Z'],
    ['2026-01-31T09:00:00.123456789Z', '2026-01-31T09:00:00.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ])('takes %s for %s', (text, utc) => {
    expect(formatInstant(parseInstant(text)!)).toBe(utc);
  });

  it.each([
    '2026-01-31',
    '2026-01-31T09:00:00',
    '2026-01-31T09:00Z',
    '2026-01-31 09:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:60:00Z',
    '2026-01-31T09:00:61Z',
    '2026-01-31T09:00:00+24:00',
    '2026-01-31T09:00:00+01:60',
    '2026-01-31T09:00:00+0100',
    '2026-01-31T09:00:00+01',
    '2026-01-31T09:00:00.Z',
    '2026-01-31T09:00:00,5Z',
    '+02026-01-31T09:00:00Z',
    '-0001-01-31T09:00:00Z',
    '9999-12-31T23:59:59-00:01',
    '0000-01-01T00:00:00+00:01',
    '٢٠٢٦-01-31T09:00:00Z',
    ' 2026-01-31T09:00:00Z',
    '2026-01-31T09:00:00Z\n',
    '1767225600',
    '',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('is nothing, or a moment that can be written, whatever the text', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123459-+:.TZ'), maxLength: 32 });
    fc.assert(
      fc.property(digits, (text) => {
        const at = parseInstant(text);
        if (at !== undefined) expect(formatInstant(at)).toMatch(/^\d{4}-.*Z$/);
      }),
    );
  });
});
