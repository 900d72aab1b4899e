// Names and searches of every kind, and a filter that shares no code with the service.

import fc from 'fast-check';
import { searchedWords } from '../../src/domain/words.ts';

/** Words that begin alike, with accents, in other scripts, and with what LIKE and JSON take for something else. */
const PARTS = [
  ...['Labrador', 'LABRADOODLE', 'labra', 'Black', 'blâck', 'bla', 'Été', 'e\u0301te\u0301', '3½'],
  ...[
    'ΟΔΟΣ',
    'οδός',
    'Щенок',
    'щегол',
    '강아지',
    '강',
    '子犬',
    'كلب',
    'แมว',
    'null',
    'x'.repeat(60),
  ],
  ...['100%', 'a_b', '"quoted"', '\\', "d'or", '🐕', '𠮷野'],
];
export const text = (maxLength: number) =>
  fc
    .array(fc.tuple(fc.constantFrom(...PARTS), fc.constantFrom(' ', '-', ' & ', '_', '…')), {
      minLength: 1,
      maxLength,
    })
    .map((parts) => parts.flat().join(''));
/** Some first letters of some words. */
export const search = fc
  .array(fc.tuple(fc.constantFrom(...PARTS), fc.integer({ min: 1, max: 60 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.map(([part, length]) => Array.from(part).slice(0, length).join('')))
  .map((parts) => parts.join(' '))
  .filter((q) => isSearch(q));
function isSearch(q: string): boolean {
  try {
    return searchedWords(q, 'q').length > 0;
  } catch {
    return false;
  }
}

/** Letter by letter, without the code of the service. */
function naiveWords(name: string): string[] {
  const words: string[] = [''];
  for (const char of name.normalize('NFKD')) {
    if (/\p{M}/u.test(char)) continue;
    if (/\p{L}|\p{N}/u.test(char)) words.push(words.pop() + char.toLowerCase());
    else words.push('');
  }
  return words
    .filter((word) => word !== '')
    .map((word) => Array.from(word.normalize('NFC')).slice(0, 50).join(''))
    .map((word) => word.replace(/ς/g, 'σ'));
}

export function isFoundNaively(name: string, q: string): boolean {
  const words = naiveWords(name);
  return naiveWords(q).every((wanted) => words.some((word) => word.startsWith(wanted)));
}
