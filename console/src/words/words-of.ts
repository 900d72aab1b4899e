/** Whether every text is shown 40 % longer, to see that nothing is cut off: open the console with `?words=long`. */
const isLong = new URLSearchParams(globalThis.location?.search).get('words') === 'long';

/** The words of a part of the console. */
export function wordsOf<T extends object>(english: T): T {
  return isLong ? lengthened(english) : english;
}

export function lengthened<T>(value: T): T {
  if (typeof value === 'string') {
    return `${value}${'·ñ'.repeat(Math.ceil(value.length * 0.2))}` as T;
  }
  if (Array.isArray(value)) return value.map(lengthened) as T;
  if (typeof value === 'function') {
    return ((...args: unknown[]) => lengthened(value(...args))) as T;
  }
  if (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  ) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, lengthened(each)]),
    ) as T;
  }
  return value;
}
