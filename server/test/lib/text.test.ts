import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCase, prefixSuccessor } from '../../src/lib/text.ts';

const text = fc.string({ unit: 'binary', maxLength: 6 });
const byCodePoint = (a: string, b: string) => Buffer.from(a).compare(Buffer.from(b));

describe('foldCase', () => {
  it.each([
    ['REX', 'rex'],
    ['Pok\u00e9mon', 'POKE\u0301MON'],
    ['ÄÖÜ', 'äöü'],
    ['ΟΔΟΣ', 'οδος'],
    ['𐐀', '𐐨'],
    ['Å', '\u212b'],
  ])('makes %s and %s the same', (a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });

  it.each([
    ['Strasse', 'Straße'],
    ['ﬁ', 'fi'],
    ['a', 'а'],
    ['I', 'ı'],
    ['a', 'a '],
  ])('keeps %s and %s apart', (a, b) => {
    expect(foldCase(a)).not.toBe(foldCase(b));
  });

  it('makes two texts the same that are equal when lower-cased in composed form', () => {
    fc.assert(
      fc.property(text, (a) => {
        expect(foldCase(a.normalize('NFC').toLowerCase().normalize('NFC'))).toBe(
          foldCase(foldCase(a)),
        );
        expect(foldCase(a)).toBe(foldCase(a.normalize('NFD')));
      }),
    );
  });

  it('folds a start of a text to a start of the folded text, also before a final sigma', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'ΑΣΟσςab. '), maxLength: 8 });
    fc.assert(
      fc.property(letters, fc.nat(8), (whole, length) => {
        expect(foldCase(whole).startsWith(foldCase(whole.slice(0, length)))).toBe(true);
      }),
    );
  });
});

describe('prefixSuccessor', () => {
  it('stands between the texts that start so and all that come after', () => {
    fc.assert(
      fc.property(text, text, text, (prefix, rest, other) => {
        const end = prefixSuccessor(prefix);
        if (end === undefined) {
          expect(prefix).toMatch(/^\u{10ffff}*$/u);
          return;
        }
        expect(end.isWellFormed()).toBe(true);
        expect(byCodePoint(prefix + rest, end)).toBeLessThan(0);
        const isInside = byCodePoint(other, prefix) >= 0 && byCodePoint(other, end) < 0;
        expect(isInside).toBe(other.startsWith(prefix));
      }),
    );
  });

  it.each([
    ['a', 'b'],
    ['az', 'a{'],
    ['\ud7ff', '\ue000'],
    ['\uffff', '\u{10000}'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', undefined],
    ['', undefined],
  ])('of %j is %j', (prefix, end) => {
    expect(prefixSuccessor(prefix)).toBe(end);
  });
});
