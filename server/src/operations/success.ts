// The success responses that an operation can declare. `T` is what its handler returns.

import type { Static, TSchema } from 'typebox';
import type { Page } from '../datastore/page.ts';

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

/** 200 with one record and its ETag. */
export function record<S extends TSchema>(schema: S, description: string): Success<Static<S>> {
  return { kind: 'record', status: 200, schema, description };
}

/** 201 with the new record, its ETag and, where it has a path, its Location. */
export function created<S extends TSchema>(
  schema: S,
  description: string,
  location?: (value: Static<S>) => string,
): Success<Static<S>> {
  return { kind: 'created', status: 201, schema, description, ...(location ? { location } : {}) };
}

/** 200 with one page of records and a Link to the next. */
export function listOf<S extends TSchema>(
  schema: S,
  description: string,
): Success<Page<Static<S>>> {
  return { kind: 'list', status: 200, schema, description };
}

/** 200 with something that is no record, so it has no ETag. */
export function value<S extends TSchema>(schema: S, description: string): Success<Static<S>> {
  return { kind: 'value', status: 200, schema, description };
}

/** 204. */
export function empty(description: string): Success<void> {
  return { kind: 'empty', status: 204, description };
}
