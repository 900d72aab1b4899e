// An operation is one value: its contract and its handler. Routes, validators, serialisers, types, the
// OpenAPI document, scope checks, lifecycle headers and the usage report are all derived from it.

import type { Static, TSchema, TUndefined } from 'typebox';
import type { Readers, Transaction } from '../datastore/datastore.ts';
import type { Page, PageRequest } from '../datastore/page.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Caller, Scope } from '../domain/key.ts';
import type { Clock } from '../lib/clock.ts';
import type { Position } from '../lib/cursor.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { KeyRing } from '../services/key-ring.ts';
import type { UsageRecorder } from '../services/usage.ts';
import type { Deprecations } from '../services/usage-report.ts';
import type { Params, ParamsOf, QueryOf } from './parameters.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Tag =
  | 'animals'
  | 'categories'
  | 'inventory'
  | 'orders'
  | 'workspace'
  | 'keys'
  | 'usage'
  | 'admin';

export interface Deprecation {
  /** ISO dates: deprecated since the first, switched off from the second on. */
  since: string;
  sunset: string;
  successor: string;
  /** The successor's address, with the parameters of this operation filled in. */
  successorPath: (params: Record<string, string>) => string;
}

/** What an operation answers with when all goes well. */
export type Success<T> =
  | { kind: 'record'; status: 200; schema: TSchema; description: string }
  | {
      kind: 'created';
      status: 201;
      schema: TSchema;
      description: string;
      location?: (value: T) => string;
    }
  | { kind: 'list'; status: 200; schema: TSchema; description: string }
  | { kind: 'value'; status: 200; schema: TSchema; description: string }
  | { kind: 'empty'; status: 204; description: string };

export interface ListSpec<Item> {
  sorts: readonly string[];
  /** Where a page that ends with this item ends. */
  positionOf: (item: Item, sort: string) => Position;
}

export interface Call<P, Q, B> {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  page: PageRequest<string>;
  now: number;
  /** Refuses when the request has an If-Match that the record, as it is answered, does not meet. */
  checkMatch: (record: unknown) => void;
}

interface Contract {
  id: string;
  method: Method;
  path: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** The scope a key needs; `none` for operations that need no key. */
  scope: Scope | 'none';
  /** `free` operations cost no quota; `own` ones are counted in a bucket of their own, per key. */
  metering?: 'free' | 'own';
  stability?: 'beta' | 'experimental';
  deprecation?: Deprecation;
  params?: Params;
  query?: Params;
  body?: TSchema;
  /** What the body is checked against, where its parts are checked later. */
  bodyChecked?: TSchema;
  /** A body that may be left out. */
  isBodyOptional?: boolean;
  /** The record that If-Match speaks of. */
  matches?: TSchema;
  errors?: readonly ErrorCode[];
  example?: unknown;
  list?: ListSpec<never>;
  /** The answer is made of the workspace's own records alone, so it stands until one of them changes. */
  isRepeatable?: true;
  /** Whether the operation is there at all; one that is not answers 404. */
  isOpen?: (deps: Dependencies) => boolean;
}

export interface Operation extends Contract {
  kind: 'read' | 'write';
  success: Success<never>;
  handle: (call: Call<never, never, never>, second: never, deps: Dependencies) => Promise<unknown>;
  /** How many requests of the quota this one costs; one if absent. */
  cost?: (body: never) => number;
  /** What of an answer may be stored for repetitions: secrets are left out. */
  storable?: (value: never) => unknown;
  /** Runs once the write is kept, before it is answered. */
  onCommit?: OnCommit;
}

/** What handlers may use besides their call. */
export interface Dependencies {
  store: Readers;
  clock: Clock;
  keyRing: KeyRing;
  limiter: Limiter;
  usage: UsageRecorder;
  deprecations: Deprecations;
  isSignupOpen: boolean;
}

type OnCommit = (deps: Dependencies, call: { params: unknown }) => void | Promise<void>;

type Declared<P, Q, T> = Omit<Contract, 'params' | 'query' | 'body'> & {
  params?: P;
  query?: Q;
  success: Success<T>;
};
type None = Record<never, never>;

export function readOperation<T, P extends Params = None, Q extends Params = None>(
  spec: Declared<P, Q, T> & {
    handle: (
      call: Call<ParamsOf<P>, QueryOf<Q>, undefined>,
      store: Readers,
      deps: Dependencies,
    ) => Promise<T>;
  },
): Operation {
  return { kind: 'read', ...(spec as unknown as Omit<Operation, 'kind'>) };
}

export function writeOperation<
  T,
  P extends Params = None,
  Q extends Params = None,
  B extends TSchema = TUndefined,
>(
  spec: Declared<P, Q, T> & {
    body?: B;
    cost?: (body: Static<B>) => number;
    handle: (
      call: Call<ParamsOf<P>, QueryOf<Q>, Static<B>>,
      tx: Transaction,
      deps: Dependencies,
    ) => Promise<T>;
    storable?: (value: T) => unknown;
    onCommit?: OnCommit;
  },
): Operation {
  return { kind: 'write', ...(spec as unknown as Omit<Operation, 'kind'>) };
}

export function record<S extends TSchema>(schema: S, description: string): Success<Static<S>> {
  return { kind: 'record', status: 200, schema, description };
}

export function created<S extends TSchema>(
  schema: S,
  description: string,
  location?: (value: Static<S>) => string,
): Success<Static<S>> {
  return { kind: 'created', status: 201, schema, description, ...(location ? { location } : {}) };
}

export function listOf<S extends TSchema>(
  schema: S,
  description: string,
): Success<Page<Static<S>>> {
  return { kind: 'list', status: 200, schema, description };
}

export function value<S extends TSchema>(schema: S, description: string): Success<Static<S>> {
  return { kind: 'value', status: 200, schema, description };
}

export function empty(description: string): Success<void> {
  return { kind: 'empty', status: 204, description };
}
