// How values travel to PostgreSQL and back: as text.

import type { Value } from '../runner.ts';

export type Parser = (text: string) => unknown;

/** The command succeeded with a value that this program cannot represent. */
export class UnreadableValue extends Error {
  constructor(cause: unknown) {
    super('unreadable value', { cause });
  }
}

export function wireValue(value: Value): string | null {
  return typeof value === 'number' ? String(value) : value;
}

/** Numbers as numbers, booleans as 1 and 0, as SQLite returns them; all else as text. */
export function parserOf(typeId: number): Parser {
  switch (typeId) {
    case 20: // int8
    case 21: // int2
    case 23: // int4
    case 1700: // numeric, the type of a sum of int8
      return safeInteger;
    case 16: // bool
      return (text) => (text === 't' ? 1 : 0);
    case 701: // float8
      return Number;
    default:
      return (text) => text;
  }
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer`);
  return value;
}
