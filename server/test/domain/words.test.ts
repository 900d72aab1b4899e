import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/domain/errors.ts';
import { searchedWords, wordsOf } from '../../src/domain/words.ts';
import '../support/seed.ts';

it('splits at everything that is not a letter or a digit, and drops case and accents', () => {
  expect(wordsOf('Black Labrador puppy')).toEqual(['black', 'labrador', 'puppy']);
  const mixed = "  l'Été—naïve_o'clock 3½ ²";
  expect(wordsOf(mixed)).toEqual(['l', 'ete', 'naive', 'o', 'clock', '31', '2']);
  expect(wordsOf('ÅNGSTRÖM Angström ångstro\u0308m')).toEqual(['angstrom']);
  expect(wordsOf('!?… 🐕')).toEqual([]);
});

it('keeps the letters of other scripts whole', () => {
  expect(wordsOf('강아지 ΟΔΟΣ Щенок 子犬 ｶﾞﾗｽ')).toEqual([
    '강아지',
    'οδοσ',
    'щенок',
    '子犬',
    'カラス',
  ]);
});

it('cuts long words and keeps the first 20', () => {
  expect(wordsOf('ab'.repeat(40))).toEqual(['ab'.repeat(25)]);
  expect(wordsOf('𝒳'.repeat(60))).toEqual(['x'.repeat(50)]);
  expect(wordsOf('😀𠮷'.repeat(3))).toEqual(['𠮷']);
  expect(wordsOf('𠮷'.repeat(51))).toEqual(['𠮷'.repeat(50)]);
  const many = Array.from({ length: 25 }, (_, at) => `w${at}`);
  expect(wordsOf(many.join(' '))).toEqual(many.slice(0, 20));
});

it('takes 1 to 5 words of at most 50 characters as a search', () => {
  const parse = (text: string) => searchedWords(text, 'q');
  expect(parse('LABRA, labra black')).toEqual(['labra', 'black']);
  expect(parse('a b c d e')).toHaveLength(5);
  expect(parse('é'.repeat(50))).toEqual(['e'.repeat(50)]);
  for (const wrong of ['', ' ', '-!', 'a b c d e f', 'x'.repeat(51)]) {
    expect(() => parse(wrong)).toThrow(Refusal);
    expect(() => parse(wrong)).toThrow(/^q must have/);
  }
});

it('finds every text by the beginnings of its own words, whatever their case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
      const words = wordsOf(text);
      for (const changed of [text.toUpperCase(), text.normalize('NFD'), text.normalize('NFC')]) {
        // Upper case turns some letters into several, such as ß into SS.
        if (changed.length === text.length) expect(wordsOf(changed)).toEqual(words);
      }
      for (const word of words) expect(searchedWords(word, 'q')).toEqual([word]);
    }),
  );
});
