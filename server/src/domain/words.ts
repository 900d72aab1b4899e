// The words of a text, by which records are searched: without regard to case, accents and punctuation.

import { invalidField } from './errors.ts';

const WORD_LENGTH_MAX = 50;
/** How many words of a text are searched. */
const WORDS_MAX = 20;
const SEARCHED_WORDS_MAX = 5;
/** The longest text of a search. Accents that are characters of their own count, too. */
export const SEARCH_LENGTH_MAX = 500;

/** The first words of a text, each once. A long word is cut. */
export function wordsOf(text: string): string[] {
  return [...new Set(split(text).map(cut))].slice(0, WORDS_MAX);
}

/** The words of a search, each once. Refuses a search without a word, and one with too many or too long ones. */
export function searchedWords(text: string, field: string): string[] {
  const words = split(text);
  if (words.length === 0) throw invalidField(field, 'must have a letter or a digit');
  if (words.length > SEARCHED_WORDS_MAX) {
    throw invalidField(field, `must have at most ${SEARCHED_WORDS_MAX} words`);
  }
  if (words.some((word) => cut(word) !== word)) {
    throw invalidField(field, `must have words of at most ${WORD_LENGTH_MAX} characters`);
  }
  return [...new Set(words)];
}

/**
 * Marks are removed before the text is split, because they are no letters. Composing comes last: it makes the letters of
 * Hangul whole again. A sigma that ends a word is folded like any other: else a word would not start with its own first
 * letters.
 */
function split(text: string): string[] {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ');
  return folded.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? [];
}

function cut(word: string): string {
  if (word.length <= WORD_LENGTH_MAX) return word;
  return Array.from(word).slice(0, WORD_LENGTH_MAX).join('');
}
