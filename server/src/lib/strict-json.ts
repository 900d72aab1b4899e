// JSON.parse keeps the last of two equal keys, accepts __proto__ and rounds numbers: each silently changes what a client
// sent. So JSON.parse proves that the text is well-formed, and a second pass refuses what JSON.parse should not accept.
// No field of this service is a fraction, and `1.0` or `1e400` would arrive as another number. Such a number becomes NaN,
// which the schema of its field refuses, where the field is known and in a batch the row too.

import { findSyntaxFault } from './json-syntax.ts';

export class MalformedJson extends Error {}

/** Well-formed JSON that says something no request may say; `field` is the nearest object key. */
export class ForbiddenJson extends Error {
  readonly field: string;
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

const DEPTH_MAX = 32;
const SEARCHED_MAX = 65_536;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** The keys of this object are data of a client, so it may have any. */
const FREE_OBJECT = 'metadata';
const INTEGER = /^-?\d+$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new MalformedJson('The body is not valid UTF-8.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedJson(`The body is not valid JSON${placeOf(text)}.`);
  }
  const { hasFraction } = inspect(text);
  return hasFraction ? JSON.parse(text, withoutFractions as Reviver) : value;
}

type Reviver = (key: string, value: unknown) => unknown;

function withoutFractions(_: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === 'number' && !INTEGER.test(source) ? Number.NaN : value;
}

/** Where the fault is. A very long text is not searched, so that it costs little. */
function placeOf(text: string): string {
  if (text.startsWith('\uFEFF')) return ': it begins with a byte order mark, which JSON has not';
  const fault = text.length > SEARCHED_MAX ? undefined : findSyntaxFault(text);
  return fault ? `: line ${fault.line}, column ${fault.column}: expected ${fault.expected}` : '';
}

/** Walks a text that JSON.parse has accepted, so only its structure needs to be followed. */
function inspect(text: string): { hasFraction: boolean } {
  const keysOf: (Set<string> | undefined)[] = [];
  let field = '';
  /** The key whose value comes next. */
  let key: string | undefined;
  let isFree = false;
  let expectsKey = false;
  let hasFraction = false;
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    if (char === '"') {
      const end = endOfString(text, at);
      const string = JSON.parse(text.slice(at, end)) as string;
      if (!string.isWellFormed()) {
        throw new ForbiddenJson(field, 'holds half of a surrogate pair, which is not a character');
      }
      if (expectsKey) {
        field = string;
        key = string;
        refuseRepeated(string, keysOf.at(-1)!);
        if (!isFree) refuseForbidden(string);
        expectsKey = false;
      }
      at = end;
    } else if (char === '{' || char === '[') {
      keysOf.push(char === '{' ? new Set() : undefined);
      isFree = key === FREE_OBJECT;
      key = undefined;
      expectsKey = char === '{';
      if (keysOf.length > DEPTH_MAX) {
        throw new ForbiddenJson(field, `is nested deeper than ${DEPTH_MAX} levels`);
      }
      at++;
    } else if (char === '}' || char === ']') {
      keysOf.pop();
      isFree = false;
      key = undefined;
      expectsKey = false;
      at++;
    } else if (char === ',') {
      expectsKey = keysOf.at(-1) !== undefined;
      key = undefined;
      at++;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const end = endOfNumber(text, at);
      hasFraction ||= !INTEGER.test(text.slice(at, end));
      at = end;
    } else {
      at++;
    }
  }
  return { hasFraction };
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && /[0-9.eE+-]/.test(text[at]!)) at++;
  return at;
}

function refuseForbidden(key: string): void {
  if (FORBIDDEN_KEYS.has(key)) throw new ForbiddenJson(key, 'is not a field name that is accepted');
}

function refuseRepeated(key: string, seen: Set<string>): void {
  if (seen.has(key)) throw new ForbiddenJson(key, 'appears twice in one object');
  seen.add(key);
}
