/** Control characters, as a part of a character class. */
export const CONTROL = '\\u0000-\\u001F\\u007F-\\u009F';
const ANY_CONTROL = new RegExp(`[${CONTROL}]`);

export function hasControl(text: string): boolean {
  return ANY_CONTROL.test(text);
}

/**
 * Two texts are the same, case-insensitively, when their folded forms are equal. A sigma that ends a word
 * is folded like any other: else a name would not start with its own first letters.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/**
 * The smallest text, by code point, that is greater than every text starting with `prefix`;
 * undefined when there is none. `prefix <= x AND x < successor` is a prefix search an index serves.
 */
export function prefixSuccessor(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0)!);
  while (points.length > 0) {
    const last = points.pop()!;
    if (last < 0x10ffff) {
      const next = last === 0xd7ff ? 0xe000 : last + 1;
      return String.fromCodePoint(...points, next);
    }
  }
  return undefined;
}
