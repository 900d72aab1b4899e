// What a request is made of: its path, its query, its options and its id.

import { InvalidRequestError } from './errors.ts';
import type { DryRunOptions, PetstoreOptions, RequestOptions } from './options.ts';

export type AnyOptions = RequestOptions & DryRunOptions;
export type Query = object;

/** What a method of the client sends. */
export interface Request {
  method: string;
  /** With the names of its parameters in braces. */
  path: string;
  params?: readonly (string | number)[];
  query?: Query | undefined;
  body?: unknown;
  options?: AnyOptions | undefined;
  /** The requests of the plan's windows that it costs, rounded up; 1 if absent, 0 for a free call. */
  cost?: number;
  /** Has a limit of its own, which refuses nothing else. */
  isCapped?: boolean;
}

/** The types of the options of all calls. A name that is none of these was meant for the query or is misspelt. */
const OPTIONS: Record<keyof AnyOptions | 'query' | 'onOpen' | 'onClose', string> = {
  signal: 'object',
  timeoutMs: 'number',
  maxRetries: 'number',
  maxWaitMs: 'number',
  headers: 'object',
  ifNoneMatch: 'string',
  ifMatch: 'string',
  idempotencyKey: 'string',
  dryRun: 'boolean',
  query: 'object',
  onOpen: 'function',
  onClose: 'function',
};
export const CLIENT_OPTIONS: Record<keyof PetstoreOptions, string> = {
  apiKey: 'string or function',
  baseUrl: 'string or URL',
  fetch: 'function',
  headers: 'object',
  timeoutMs: 'number',
  maxRetries: 'number',
  maxWaitMs: 'number',
  maxConcurrent: 'number',
  onWait: 'function',
  onRequest: 'function',
  onDeprecated: 'function',
};

/** Calls a callback. What it throws is not the outcome of the call, which may have placed an order. */
export function notify<A extends unknown[]>(
  callback: ((...args: A) => void) | undefined,
  ...args: A
) {
  try {
    callback?.(...args);
  } catch (err) {
    console.error(err);
  }
}

/** The least value of the options that are numbers. NaN would be no limit to retries, and no time for a response. */
const LEAST: Record<string, number> = { timeoutMs: 1, maxRetries: 0, maxWaitMs: 0 };

export function checkOptions(options: unknown = {}, known: Record<string, string> = OPTIONS): void {
  // The value itself is not shown: it may be a key.
  if (typeOf(options) !== 'object')
    throw new TypeError(`Options are an object, not ${typeOf(options)}.`);
  for (const [name, value] of Object.entries(options as object)) {
    const types = known[name];
    if (!types) throw new TypeError(`There is no option "${name}".`);
    if (value !== undefined && !types.includes(typeOf(value)))
      throw new TypeError(`${name} must be of type ${types}, not ${typeOf(value)}.`);
    const least = LEAST[name];
    // Not `<`, which NaN passes.
    if (least !== undefined && !((value ?? least) >= least))
      throw new TypeError(`${name} must be a number from ${least}, not ${value}.`);
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : value instanceof URL ? 'URL' : typeof value;
}

/** The base URL of the API, whether `/v1` was written or not. */
export function apiUrlOf(url: string | URL): string {
  return `${url}`.replace(/\/+$/, '').replace(/(\/v1)?$/, '/v1');
}

export function pathOf({ path, params = [] }: Request): string {
  let at = 0;
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(params[at++]!));
}

/** The pairs of an object, of `Headers`, of `URLSearchParams` or of a `Map`. */
export function entriesOf(pairs: object | undefined): Iterable<[string, unknown]> {
  const all = Object(pairs);
  return Symbol.iterator in all ? all : Object.entries(all);
}

/** Lists are repeated parameters; instants may be dates. */
export function searchOf(query: Query | undefined): string {
  checkOptions({ query: query ?? undefined });
  const search = new URLSearchParams();
  for (const [name, value] of entriesOf(query)) {
    if (value === undefined) continue;
    // The service refuses an empty value. Without it, a list of nothing would find every record.
    for (const item of [Array.isArray(value) && value.length === 0 ? '' : value].flat()) {
      refuseNonsense(name, item);
      search.append(name, item instanceof Date ? item.toISOString() : (item as string));
    }
  }
  return search.size > 0 ? `?${search}` : '';
}

/** The body as JSON, which would write null for NaN and for an invalid date: a key would never expire. */
export function jsonOf(body: unknown): string | undefined {
  return JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    refuseNonsense(name, this[name]);
    return value;
  });
}

function refuseNonsense(name: string, value: unknown): void {
  if ((typeof value !== 'number' && !(value instanceof Date)) || Number.isFinite(+value)) return;
  const message = `${name} must not be ${value}.`;
  throw new InvalidRequestError({ code: 'invalid_request', message, status: 400 });
}

/** 128 random bits. Pages without HTTPS lack `randomUUID`. */
export function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Undefined also when it is empty. */
export function variable(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined;
}
