import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSyntaxFault } from '../../src/lib/json-syntax.ts';

describe('findSyntaxFault', () => {
  it.each([
    ['{"name":"a",}', 1, 13, 'a property name in double quotes'],
    ['{"a": 1\n "b": 2}', 2, 2, 'a comma or }'],
    ['[1, 2', 1, 6, 'a comma or ]'],
    ['[1,]', 1, 4, 'a value'],
    ['{"a" 1}', 1, 6, 'a colon'],
    ["{'a': 1}", 1, 2, 'a property name in double quotes'],
    ['{"a": tru}', 1, 7, 'a value'],
    ['{"a": "b}', 1, 7, 'a value'],
    ['{} {}', 1, 4, 'the end of the text'],
    ['', 1, 1, 'a value'],
    ['[01]', 1, 3, 'a comma or ]'],
    ['[}', 1, 2, 'a value'],
  ])('finds the fault in %j', (text, line, column, expected) => {
    expect(findSyntaxFault(text)).toEqual({ line, column, expected });
  });

  it('agrees with JSON.parse on what is JSON, for any text', () => {
    const isJson = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', '-0.5e3', 'null', ' ');
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    const property = fc.property(text, (value) => {
      expect(findSyntaxFault(value) === undefined).toBe(isJson(value));
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it('reads a text of a million levels', () => {
    expect(findSyntaxFault('['.repeat(1_000_000))).toMatchObject({ column: 1_000_001 });
  });
});
