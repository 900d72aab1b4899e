/** Whether every text is shown 40 % longer, to see that nothing is cut off: open the console with `?words=long`. */
const isLong = new URLSearchParams(globalThis.location?.search).get('words') === 'long';

/** Letters that are written from the right, and signs that turn what follows them. */
const TURNS = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufeff]/;

type Change = (text: string) => string;

/** The words of a part of the console. */
export function wordsOf<T extends object>(english: T): T {
  return changed(english, isLong ? longer : (text) => text);
}

export const lengthened = <T>(value: T): T => changed(value, longer);

const longer: Change = (text) => `${text}${'·ñ'.repeat(Math.ceil(text.length * 0.2))}`;

/** A name keeps its direction to itself: the words beside it stay where they are. */
const isolated = (value: unknown) =>
  typeof value === 'string' && TURNS.test(value) ? `\u2068${value}\u2069` : value;

/** Changes every text, also those of lists and functions. */
function changed<T>(value: T, change: Change): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value === 'function') {
    return ((...args: unknown[]) => changed(value(...args.map(isolated)), change)) as T;
  }
  if (typeof value === 'object') {
    for (const name in value) value[name] = changed(value[name], change);
  }
  return value;
}
