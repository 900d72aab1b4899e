import { expect, test } from 'vitest';
import { isNamed, isTypedName, searchFor } from '../../src/parts/name-words.ts';

test('a name is found by the beginnings of its words, in any order, without case and accents', () => {
  const name = 'Black Labrador puppy';
  expect(
    ['labra black', 'PUP', 'bläck', 'brador', 'black cat'].map((text) => isNamed(name, text)),
  ).toEqual([true, true, true, false, false]);
});

test('a search sends at most five words, and nothing without a letter or a digit', () => {
  expect(searchFor(' Black,  labra! ')).toBe('black labra');
  expect(searchFor('a b c d e f g')).toBe('a b c d e');
  expect([searchFor('…'), searchFor('')]).toEqual([undefined, undefined]);
});

test('a name is confirmed as it is copied from the screen, and no other name is', () => {
  const name = 'Pets  and  חיות';
  const same = [name, ' Pets and חיות\t', '“\u2068Pets and חיות\u2069”'];
  expect(same.every((text) => isTypedName(text, name))).toBe(true);
  expect(['', 'pets and חיות', 'Pets andחיות'].some((text) => isTypedName(text, name))).toBe(false);
});
