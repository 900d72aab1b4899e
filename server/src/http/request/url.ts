import { invalidField, Refusal } from '../../domain/errors.ts';
import type { Params } from '../../operations/parameters.ts';

/** Most queries are ids and words, which mean themselves. */
const ENCODED = /[%+]/;

/** The path of a request's URL, without the query. */
export function pathIn(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

/** The query of a request's URL, without the question mark; empty if there is none. */
export function queryIn(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

export function parseQuery(params: Params, search: string): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  if (search === '') return query;
  const textOf = ENCODED.test(search) ? decode : (text: string) => text;
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = textOf(at < 0 ? pair : pair.slice(0, at));
    const param = Object.hasOwn(params, name) ? params[name]! : undefined;
    if (!param) throw invalidField(name || '""', 'is not a parameter of this operation');
    const value: unknown = param.parse(at < 0 ? '' : textOf(pair.slice(at + 1)), name);
    const before = query[name];
    if (param.repeatable === undefined) {
      if (before !== undefined) throw invalidField(name, 'must not be given more than once');
      query[name] = value;
    } else if (before === undefined) {
      query[name] = [value];
    } else if ((before as unknown[]).push(value) > param.repeatable) {
      throw invalidField(name, `must not be given more than ${param.repeatable} times`);
    }
  }
  return query;
}

/** Decodes strictly: URLSearchParams would turn a broken escape into a replacement character. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal('invalid_request', {
      message: 'The query is not valid percent-encoded UTF-8.',
    });
  }
}

export function parsePathParameters(
  params: Params,
  raw: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name in params) values[name] = params[name]!.parse(raw[name]!, name);
  return values;
}
