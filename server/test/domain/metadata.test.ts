import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/domain/errors.ts';
import { METADATA_PAIRS_MAX, mergeMetadata } from '../../src/domain/metadata.ts';
import '../support/seed.ts';

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString', 'x.y-z_1');
const value = fc.string({ maxLength: 5 });
const record = <T>(values: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(key, values), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs));
const patch = fc.oneof(
  { weight: 5, arbitrary: record(fc.oneof(value, fc.constant(null))) },
  fc.constant(null),
  fc.constant(undefined),
);

it('merges patches by key as a list of pairs would', () => {
  fc.assert(
    fc.property(fc.array(patch, { maxLength: 10 }), (patches) => {
      let merged: ReturnType<typeof mergeMetadata>;
      let pairs: [string, string][] = [];
      for (const each of patches) {
        merged = mergeMetadata(merged, each);
        if (each === null) pairs = [];
        for (const [name, text] of Object.entries(each ?? {})) {
          pairs = pairs.filter(([other]) => other !== name);
          if (text !== null) pairs.push([name, text]);
        }
      }
      expect(Object.entries(merged ?? {}).toSorted()).toEqual(pairs.toSorted());
      expect(merged === undefined).toBe(pairs.length === 0);
      if (merged) expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    }),
  );
});

it('refuses more pairs than there may be, counted after the merge', () => {
  const named = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${from + at}`, '']));
  const full = mergeMetadata(undefined, named(METADATA_PAIRS_MAX))!;
  expect(() => mergeMetadata(full, { one: 'more' })).toThrow(Refusal);
  const removed = Object.fromEntries(Object.keys(full).map((name) => [name, null]));
  const others = named(METADATA_PAIRS_MAX, 100);
  expect(mergeMetadata(full, { ...removed, ...others })).toEqual(others);
});
