import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ForbiddenJson, MalformedJson, parseStrictJson } from '../../src/lib/strict-json.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text));
const failure = (text: string): unknown => {
  try {
    parse(text);
  } catch (err) {
    return err;
  }
  return undefined;
};

/** JSON values as a request may hold them: whole numbers, well-formed texts, keys that are no trap. */
const key = fc
  .string({ unit: 'binary' })
  .filter((k) => !/^(__proto__|constructor|prototype)$/.test(k));
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe('parseStrictJson', () => {
  it('gives the very value that JSON.parse gives, for all that it takes', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(0, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('takes nothing that JSON.parse does not', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0ae1-. \ntf') }), (text) => {
        const err = failure(text);
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (!isJson) expect(err).toBeInstanceOf(MalformedJson);
        else if (err !== undefined) expect(err).toBeInstanceOf(ForbiddenJson);
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses a key that appears twice in one object, however it is written', () => {
    fc.assert(
      fc.property(key, fc.nat(5), (name, between) => {
        const others = Array.from(
          { length: between },
          (_, i) => `,${JSON.stringify(`${name}${i}`)}:{}`,
        );
        const escaped = `"${[...name].map(escapeUnits).join('')}"`;
        const text = `[{${JSON.stringify(name)}:1${others.join('')},${escaped}:2}]`;
        expect(failure(text)).toMatchObject({ field: name, message: /twice/ });
      }),
    );
  });

  it('lets the same key appear in several objects', () => {
    const text = '{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}';
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s at any depth', (name) => {
    for (const text of [`{"${name}":1}`, `[{"a":{"${name}":{}}}]`]) {
      expect(failure(text)).toBeInstanceOf(ForbiddenJson);
    }
    expect(parse(`["${name}",{"a":"${name}"}]`)).toEqual([name, { a: name }]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'takes the key %s in metadata alone',
    (name) => {
      const parsed = parse(`[{"metadata":{"${name}":"x","b":"y"},"c":1}]`) as {
        metadata: object;
      }[];
      expect(Object.entries(parsed[0]!.metadata)).toEqual([
        [name, 'x'],
        ['b', 'y'],
      ]);
      for (const text of [
        `[{"a":1,"metadata":"x"},{"${name}":1}]`,
        `{"metadata":{"a":"x"},"${name}":1}`,
        `{"metadata":{"a":{"${name}":1}}}`,
        `{"metadata":[{"${name}":1}]}`,
      ]) {
        expect(failure(text), text).toBeInstanceOf(ForbiddenJson);
      }
    },
  );

  it('refuses half a surrogate pair in texts and keys, and takes whole ones', () => {
    for (const text of ['"\\ud800"', '"\\udc00\\ud800"', '{"\\ud800":1}', '{"a":"x\\ud83d"}']) {
      expect(failure(text), text).toBeInstanceOf(ForbiddenJson);
    }
    expect(parse('"\\ud83d\\ude00"')).toBe('😀');
    expect(parse('"\\\\ud800"')).toBe('\\ud800');
  });

  it('makes NaN of numbers that are not written as whole ones, and of no others', () => {
    for (const number of ['1.0', '1.5', '1e0', '1E5', '1e400', '-1e-1', '0.0', '-0.1']) {
      expect(parse(`{"a":[${number},2]}`), number).toEqual({ a: [Number.NaN, 2] });
    }
    expect(parse('[0,-1,12,-0]')).toEqual([0, -1, 12, -0]);
    expect(parse('["1.5","1e9"]')).toEqual(['1.5', '1e9']);
  });

  it('takes 32 levels and not one more, however many there are', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(failure(nested(32))).toBeUndefined();
    for (const depth of [33, 5_000, 1_000_000]) {
      expect(failure(nested(depth))).toBeInstanceOf(ForbiddenJson);
    }
  });

  it('refuses what is not UTF-8, and a byte order mark', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0xef, 0xbb, 0xbf, 0x31],
    ]) {
      expect(() => parseStrictJson(Uint8Array.from(bytes))).toThrow(MalformedJson);
    }
  });

  it('parses long texts in linear time', () => {
    // A parser of quadratic time would not finish before the limit of a test.
    const texts = [
      `"${'\\\\'.repeat(120_000)}"`,
      `[${'{},'.repeat(80_000)}1]`,
      '9'.repeat(250_000),
    ];
    for (const text of [...texts, `{${'"a'.repeat(1)}":"${'a'.repeat(250_000)}"}`]) parse(text);
  });
});

function escapeUnits(char: string): string {
  const units = Array.from({ length: char.length }, (_, i) => char.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
