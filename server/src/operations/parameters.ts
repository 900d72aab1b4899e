// The parameters of paths and queries that operations declare: a description, a schema and a parser. Nothing is
// coerced: a value that is not written exactly as the contract says is refused.

import { invalidField, notFound, notFoundAnywhere } from '../domain/errors.ts';
import { SEARCH_LENGTH_MAX, searchedWords } from '../domain/words.ts';
import { INSTANT_FORM, parseInstant } from '../lib/instant.ts';
import { hasControl } from '../lib/text.ts';
import { beforeTrimming } from './schemas/fields.ts';

export interface Param<T> {
  description: string;
  schema: Record<string, unknown>;
  example?: unknown;
  /** How often the parameter may appear; the value is then a list. Absent: once. */
  repeatable?: number;
  parse: (text: string, name: string) => T;
}

// biome-ignore lint/suspicious/noExplicitAny: parameters of all types stand side by side in one record.
export type Params = Readonly<Record<string, Param<any>>>;
type ValueOf<P> = P extends { repeatable: number; parse: (...args: never[]) => infer T }
  ? T[]
  : P extends { parse: (...args: never[]) => infer T }
    ? T
    : never;
export type ParamsOf<P> = { [K in keyof P]: ValueOf<P[K]> };
export type QueryOf<P> = { [K in keyof P]?: ValueOf<P[K]> };

const SEARCH_RULE =
  'Up to 5 words, each the beginning of a word, in any order; case, accents and punctuation do not matter.';
const REFERENCE_LENGTH_MAX = 100;
const INT64_MAX = 2n ** 63n - 1n;
const ID_DIGITS_MAX = 19;
/** Ids start at 1, and 0 is the service itself, so this one matches no record. */
const NO_ID = -1;

/** The id of a record in a path. An id above 2^53-1 cannot exist, so it is not found. */
export function pathId(description: string, missing = notFound): Param<number> {
  return {
    description,
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: 1,
    parse: (text, name) => {
      if (text === '') {
        const hint = 'for the list, leave out the slash at the end of the path';
        throw invalidField(name, `must not be empty; ${hint}`);
      }
      const id = parseId(text, name);
      if (id === NO_ID) throw missing(nounOf(name), text);
      return id;
    },
  };
}

/** The id of a record in a query. An id above 2^53-1 cannot exist, so it matches nothing. */
export function queryId(description: string): Param<number> {
  return {
    description,
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    parse: parseId,
  };
}

export function queryIds(
  description: string,
  repeatable: number,
): Param<number> & { repeatable: number } {
  return {
    ...queryId(description),
    repeatable,
    parse: (text, name) => {
      if (text.includes(',')) {
        throw invalidField(
          name,
          `must be one id; repeat the parameter for more: ${name}=1&${name}=2`,
        );
      }
      return parseId(text, name);
    },
  };
}

export function integer(
  description: string,
  range: { minimum: number; maximum: number; default?: number },
): Param<number> {
  return {
    description,
    schema: { type: 'integer', ...range },
    parse: (text, name) => {
      const value = /^(0|-?[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= range.minimum && value <= range.maximum)) {
        throw invalidField(name, `must be an integer from ${range.minimum} to ${range.maximum}`);
      }
      return value;
    },
  };
}

export function oneOf<const V extends string>(
  description: string,
  values: readonly V[],
  options: { default?: V } = {},
): Param<V> {
  return {
    description,
    schema: { type: 'string', enum: values, ...options },
    parse: (text, name) => {
      if (!(values as readonly string[]).includes(text)) {
        throw invalidField(name, `must be one of ${values.join(', ')}`);
      }
      return text as V;
    },
  };
}

/** A parameter that may be given several times. */
export function repeated<T>(
  param: Param<T>,
  repeatable: number,
): Param<T> & { repeatable: number } {
  return { ...param, repeatable };
}

export function bool(description: string, options: { default?: boolean } = {}): Param<boolean> {
  return {
    description,
    schema: { type: 'boolean', ...options },
    parse: (text, name) => {
      if (text !== 'true' && text !== 'false') throw invalidField(name, 'must be true or false');
      return text === 'true';
    },
  };
}

export function text(description: string, maxLength: number): Param<string> {
  const pattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
  return {
    description,
    schema: { type: 'string', minLength: 1, maxLength, pattern },
    parse: (value, name) => {
      if (value === '' || Array.from(value).length > maxLength) {
        throw invalidField(name, `must have 1 to ${maxLength} characters`);
      }
      if (!new RegExp(pattern).test(value)) {
        throw invalidField(name, 'must not contain control characters');
      }
      return value;
    },
  };
}

/** A search: words, each of which starts a word of the text that is searched. */
export function words(description: string): Param<string[]> {
  const parseText = text('', SEARCH_LENGTH_MAX).parse;
  return {
    ...text(`${description} ${SEARCH_RULE}`, SEARCH_LENGTH_MAX),
    example: 'black labra',
    parse: (value, name) => searchedWords(parseText(value, name), name),
  };
}

export function instant(description: string): Param<number> {
  return {
    description,
    schema: { type: 'string', format: 'date-time' },
    parse: (text, name) => {
      const at = parseInstant(text);
      if (at !== undefined) return at;
      // In a query, a plus sign means a space.
      const isPlus = parseInstant(text.replace(' ', '+')) !== undefined;
      const hint = isPlus ? '; write the + of its offset as %2B' : '';
      throw invalidField(name, `must be ${INSTANT_FORM}${hint}`);
    },
  };
}

/** The id of a record in a path, where ids are texts. A text of another form cannot exist, so it is not found. */
export function pathText(
  description: string,
  { pattern, example }: { pattern: RegExp; example: string },
  missing = notFound,
): Param<string> {
  return {
    description,
    example,
    schema: { type: 'string', pattern: pattern.source },
    parse: (text, name) => {
      if (!pattern.test(text)) throw missing(nounOf(name), 'with this id');
      return text;
    },
  };
}

/** A text that is trimmed as in a body, and refused when nothing is left. */
export function trimmedText(what: string, maxLength: number): Param<string> {
  const { parse } = text(what, maxLength);
  return {
    description: `${what} 1 to ${maxLength} characters after trimming.`,
    schema: { type: 'string', pattern: beforeTrimming(maxLength) },
    // Trimming would remove line breaks, which must be refused.
    parse: (value, name) => parse(hasControl(value) ? value : value.trim(), name),
  };
}

/** The reference of a record in a path. */
export function pathReference(description: string): Param<string> {
  return { ...trimmedText(description, REFERENCE_LENGTH_MAX), example: 'SKU-1042' };
}

/** `orderId` identifies an order. */
function nounOf(name: string): string {
  return name.replace(/Id$/, '');
}

function parseId(text: string, name: string): number {
  const isInteger = /^[1-9]\d{0,18}$/.test(text);
  if (!isInteger || (text.length === ID_DIGITS_MAX && BigInt(text) > INT64_MAX)) {
    throw invalidField(name, 'must be a positive integer without leading zeros, at most 2^63-1');
  }
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : NO_ID;
}

/** Longer than any id of a key. */
export const KEY_ID_LENGTH_MAX = 40;

const keyIdForm = { pattern: /^[0-9A-Za-z]{12}$/, example: '3ZrHIxYjJZft' };
export const keyId = pathText('ID of the key.', keyIdForm);

// For the operator, who sees all workspaces.
export const anyKeyId = pathText('ID of the key.', keyIdForm, notFoundAnywhere);
export const anyWorkspaceId = pathId('ID of the workspace.', notFoundAnywhere);

export const LIMIT_MAX = 100;
/** The records of a page without `limit`. */
export const LIMIT_DEFAULT = 20;

interface Sorting {
  sorts: readonly string[];
  defaultSort?: string;
}

/** The filters that name as many records as a page can have at most. With one of them, a page has all of these. */
export function namingFilters(filters: Params): string[] {
  return Object.keys(filters).filter((name) => filters[name]!.repeatable === LIMIT_MAX);
}

const RENAMED = ' A record that is renamed while you page by name may appear twice or not at all.';

/** The parameters that every list has. `filters` are those of the list itself. */
export function pagingParameters({ sorts, defaultSort = 'id' }: Sorting, filters: Params): Params {
  const naming = namingFilters(filters);
  const names = naming.map((name) => `\`${name}\``).join(' or ');
  const withNames = naming.length > 0 ? `, or ${LIMIT_MAX} with ${names}` : '';
  return {
    limit: integer(`The maximum number of records; ${LIMIT_DEFAULT} if absent${withNames}.`, {
      minimum: 1,
      maximum: LIMIT_MAX,
      ...(naming.length > 0 ? {} : { default: LIMIT_DEFAULT }),
    }),
    cursor: text('Where to continue; taken from the `next` link of the previous page.', 2_000),
    sort: oneOf(
      `The sort order; \`${defaultSort}\` if absent. A minus sign reverses it.${sorts.includes('name') ? RENAMED : ''}`,
      sorts.flatMap((sort) => [sort, `-${sort}`]),
      { default: defaultSort },
    ),
  };
}
