import { readAll, readText } from './ask.ts';
import { type Terminal, UsageError } from './command.ts';

/** The object in `--data`, whose fields a command may add to. */
export async function dataOf(given: string, terminal: Terminal): Promise<Record<string, unknown>> {
  const value = await bodyOf(given, terminal);
  if (Array.isArray(value)) throw new UsageError('--data must be a JSON object');
  return value as Record<string, unknown>;
}

/** The object or array in `--data`: as it stands, from a file (`@file`) or from standard input (`-` or `@-`). */
export async function bodyOf(given: string, terminal: Terminal): Promise<object> {
  const isInput = given === '-' || given === '@-';
  const value = isInput ? parsed('data', await readAll(terminal)) : jsonOf('data', given);
  if (typeof value !== 'object' || value === null)
    throw new UsageError('--data must be a JSON object');
  return value;
}

/** The value of a flag that takes JSON as it stands, or from a file (`@file`). */
export function jsonOf(flag: string, given: string): unknown {
  if (!given.startsWith('@')) return parsed(flag, given);
  const path = given.slice(1);
  return parsed(flag, readText(path, `--${flag}: the file ${path}`));
}

function parsed(flag: string, textWithMark: string): unknown {
  // Editors on Windows begin a file with a byte order mark.
  const text = textWithMark.replace(/^\uFEFF/, '');
  const fault = faultIn(text);
  if (fault === undefined) return JSON.parse(text);
  // Node may quote the text, which may be long.
  const [what] = fault.split(/, (?:\.\.\.)?"/, 1);
  throw new UsageError(`--${flag} is not valid JSON: ${what}${placeOf(fault, text)}`);
}

function faultIn(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (err) {
    return (err as Error).message;
  }
}

/** Node gives the place as line and column, as an offset, or not at all, depending on its version and the fault. */
function placeOf(fault: string, text: string): string {
  if (/line \d+ column \d+/.test(fault)) return '';
  const [, position] = /position (\d+)/.exec(fault) ?? [];
  const offset = position === undefined ? offsetOfToken(text) : Number(position);
  const lines = text.slice(0, offset).split('\n');
  return ` (line ${lines.length}, column ${lines.at(-1)!.length + 1})`;
}

/** The shortest beginning of the text that has an unexpected token ends with it. */
function offsetOfToken(text: string): number {
  let without = 0;
  let within = text.length + 1;
  while (within - without > 1) {
    const middle = Math.floor((without + within) / 2);
    if (faultIn(text.slice(0, middle))?.startsWith('Unexpected token')) within = middle;
    else without = middle;
  }
  return within - 1;
}
