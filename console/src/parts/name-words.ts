// Search by words, as the service does it: each word of the text is the beginning of some word of the name.

/** How many words one search may have, and how long each. */
const WORDS_MAX = 5;
const WORD_LENGTH_MAX = 50;

/** The words of a text, without case and accents. */
export function wordsIn(text: string): string[] {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().normalize('NFC');
  return folded.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** What is sent to search for a text; undefined if it has no word. */
export function searchFor(text = ''): string | undefined {
  const words = wordsIn(text).map((word) => word.slice(0, WORD_LENGTH_MAX));
  return words.slice(0, WORDS_MAX).join(' ') || undefined;
}

/** Whether a name is found by a text. */
export function isNamed(name: string, text: string): boolean {
  const own = wordsIn(name);
  return wordsIn(text).every((word) => own.some((each) => each.startsWith(word)));
}

/**
 * Whether a text that was typed, or copied from the screen, is exactly this name. The screen shows a row of spaces as one,
 * puts quotes around a name, and signs around one that is written from the right.
 */
export function isTypedName(text: string, name: string): boolean {
  const [typed, wanted] = [text, name].map((each) =>
    each.replace(/[\s“”\u2066-\u2069]+/g, ' ').trim(),
  );
  return typed === wanted;
}
