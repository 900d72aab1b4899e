// What a request is made of: its path, its query, its options and its id.

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

/** Of all calls. A name that is none of these was meant for the query or is misspelt. */
const OPTIONS: Record<keyof AnyOptions | 'query' | 'onOpen' | 'onClose', 1> = {
  signal: 1,
  timeoutMs: 1,
  maxRetries: 1,
  maxWaitMs: 1,
  headers: 1,
  ifNoneMatch: 1,
  ifMatch: 1,
  idempotencyKey: 1,
  dryRun: 1,
  query: 1,
  onOpen: 1,
  onClose: 1,
};
export const CLIENT_OPTIONS: Record<keyof PetstoreOptions, 1> = {
  apiKey: 1,
  baseUrl: 1,
  fetch: 1,
  headers: 1,
  timeoutMs: 1,
  maxRetries: 1,
  maxWaitMs: 1,
  maxConcurrent: 1,
  onWait: 1,
  onRequest: 1,
  onDeprecated: 1,
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

export function checkOptions(options: object = {}, known: object = OPTIONS): void {
  for (const [name, value] of Object.entries(options)) {
    if (!(name in known)) throw new TypeError(`There is no option "${name}".`);
    const least = LEAST[name];
    // Not `<`, which NaN passes.
    if (least !== undefined && !((value ?? least) >= least))
      throw new TypeError(`${name} must be a number from ${least}, not ${value}.`);
  }
}

/** The base URL of the API, whether `/v1` was written or not. */
export function apiUrlOf(url: string): string {
  return url.replace(/\/+$/, '').replace(/(\/v1)?$/, '/v1');
}

export function pathOf({ path, params = [] }: Request): string {
  let at = 0;
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(params[at++]!));
}

/** Lists are repeated parameters; instants may be dates. */
export function searchOf(query: Query | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    // The service refuses an empty value. Without it, a list of nothing would find every record.
    for (const item of [value?.length === 0 ? '' : value].flat()) {
      search.append(name, item instanceof Date ? item.toISOString() : (item as string));
    }
  }
  return search.size > 0 ? `?${search}` : '';
}

/** 128 random bits. Pages without HTTPS lack `randomUUID`. */
export function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Undefined also when it is empty. */
export function variable(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined;
}
