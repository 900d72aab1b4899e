import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../src/lib/cursor.ts';

const text = fc.string({ unit: 'binary' }).filter((t) => !t.includes('\0'));
const position = fc.array(fc.oneof(fc.maxSafeInteger(), text), { minLength: 1, maxLength: 3 });

describe('a cursor', () => {
  it('gives back the position it was made from, for the query it was made for', () => {
    fc.assert(
      fc.property(text, position, (query, at) => {
        const cursor = encodeCursor(query, at);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(query, cursor)).toEqual(at);
      }),
    );
  });

  it('gives nothing for another query', () => {
    fc.assert(
      fc.property(text, text, position, (query, other, at) => {
        fc.pre(query !== other);
        expect(decodeCursor(other, encodeCursor(query, at))).toBeUndefined();
      }),
    );
  });

  it('gives nothing for any other text, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json().map(encode)), (cursor) => {
        expect(decodeCursor('query', cursor)).toBeUndefined();
      }),
    );
  });

  it('can be written in one way only', () => {
    const cursor = encodeCursor('query', ['Rex', 7]);
    const base64 = Buffer.from(cursor, 'base64url');
    const variants = [
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}\n`,
      base64.toString('base64'),
      `.${cursor}`,
    ];
    for (const variant of variants.filter((other) => other !== cursor)) {
      expect(decodeCursor('query', variant)).toBeUndefined();
    }
    expect(decodeCursor('query', encode(base64.toString().replace(',', ', ')))).toBeUndefined();
  });

  it('gives nothing when its parts are not a position', () => {
    const [print] = JSON.parse(Buffer.from(encodeCursor('query', [1]), 'base64url').toString()) as [
      string,
    ];
    const wrong = [
      [print, 1.5],
      [print, 2 ** 53],
      [print, 1, null],
      [print, [1]],
      [print, 'a\0'],
      [print, '\ud800'],
    ];
    for (const parts of wrong) {
      expect(decodeCursor('query', encode(JSON.stringify(parts)))).toBeUndefined();
    }
    expect(decodeCursor('query', encode(JSON.stringify([print, 1])))).toEqual([1]);
  });
});

function encode(json: string): string {
  return Buffer.from(json).toString('base64url');
}
