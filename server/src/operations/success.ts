// The success responses that an operation can declare. `T` is what its handler returns.

import type { Static, TSchema } from 'typebox';
import type { Page } from '../datastore/list.ts';

/** What a handler returns for a schema. It may set an optional field to undefined: JSON leaves such a field out. */
export type Shown<T> = T extends readonly (infer I)[]
  ? Shown<I>[]
  : T extends object
    ? { [K in keyof T]: Shown<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** Returns the part of a value that its ETag is made of, or that a dry run shows. */
type PartOf<T> = (value: T) => unknown;

export type Success<T> =
  | { kind: 'record'; status: 200; schema: TSchema; description: string; version?: PartOf<T> }
  | {
      kind: 'created';
      status: 201;
      schema: TSchema;
      description: string;
      location?: (value: T) => string;
      version?: PartOf<T>;
    }
  | {
      kind: 'put';
      /** Of a record that is new; 200 of one that was there. */
      status: 201;
      schema: TSchema;
      description: string;
      location: (value: never) => string;
    }
  | { kind: 'list'; status: 200; schema: TSchema; description: string }
  | { kind: 'value'; status: 200; schema: TSchema; description: string; preview?: PartOf<T> }
  | { kind: 'event'; status: 200; schema: TSchema; description: string }
  | { kind: 'feed'; status: 200; schema: TSchema; description: string }
  | { kind: 'stream'; status: 200; schema: TSchema; description: string }
  | { kind: 'download'; status: 200; types: readonly string[]; description: string }
  | { kind: 'empty'; status: 204; description: string };

/** 200 with one record and its ETag. */
export function record<S extends TSchema>(
  schema: S,
  description: string,
): Success<Shown<Static<S>>> {
  return { kind: 'record', status: 200, schema, description };
}

/** 201 with the new record, its ETag and, where it has a path, its Location. */
export function created<S extends TSchema>(
  schema: S,
  description: string,
  location?: (value: Shown<Static<S>>) => string,
): Success<Shown<Static<S>>> {
  return { kind: 'created', status: 201, schema, description, ...(location ? { location } : {}) };
}

/** What an operation returns that creates a record, or changes the one that is there. */
export interface Put<R> {
  record: R;
  isNew: boolean;
}

/** 201 with a new record, or 200 with one that was there. Both have an ETag and a Location. */
export function put<S extends TSchema>(
  schema: S,
  description: string,
  location: (record: Shown<Static<S>>) => string,
): Success<Put<Shown<Static<S>>>> {
  return { kind: 'put', status: 201, schema, description, location };
}

/**
 * A record whose ETag is made of what `version` returns. Otherwise every If-Match would fail for a record that changes
 * by itself.
 */
export function versionedBy<T>(version: PartOf<T>, success: Success<T>): Success<T> {
  return { ...success, version } as Success<T>;
}

/** 200 with one page of records and a Link to the next. */
export function listOf<S extends TSchema>(
  schema: S,
  description: string,
): Success<Page<Shown<Static<S>>>> {
  return { kind: 'list', status: 200, schema, description };
}

/** 200 with a value that is not a record, so it has no ETag. A dry run shows what `preview` returns, if that is given. */
export function value<S extends TSchema>(
  schema: S,
  description: string,
  preview?: PartOf<Shown<Static<S>>>,
): Success<Shown<Static<S>>> {
  return { kind: 'value', status: 200, schema, description, ...(preview ? { preview } : {}) };
}

/** What a dry run shows: a new record without its id, which is assigned only to what is kept. */
export function previewOf(success: Success<never>): PartOf<never> | undefined {
  if (success.kind === 'empty') return undefined;
  if (success.kind === 'created') return withoutId;
  if (success.kind === 'put') return ({ record, isNew }) => (isNew ? withoutId(record) : record);
  return (success.kind === 'value' && success.preview) || ((value) => value);
}

function withoutId({ id: _, ...rest }: { id?: unknown }): object {
  return rest;
}

/** 200 with one event, which the handler returns as text. */
export function event<S extends TSchema>(schema: S, description: string): Success<string> {
  return { kind: 'event', status: 200, schema, description };
}

/** 200 with a page of events and a Link to the next page, which is always there. */
export function feedOf<S extends TSchema>(schema: S, description: string): Success<FeedPage> {
  return { kind: 'feed', status: 200, schema, description };
}

/** 200 with Server-Sent Events until the stream ends. */
export function streamOf<S extends TSchema>(schema: S, description: string): Success<StreamSource> {
  return { kind: 'stream', status: 200, schema, description };
}

/** 200 with a file of one of these media types, sent while it is read. */
export function download(types: readonly string[], description: string): Success<Download> {
  return { kind: 'download', status: 200, types, description };
}

/** 204. */
export function empty(description: string): Success<void> {
  return { kind: 'empty', status: 204, description };
}

/** A file that is sent while it is read, so that its size does not matter. */
export interface Download {
  /** Its media type, one of those that the operation declares. */
  type: string;
  fileName: string;
  chunks: AsyncIterable<string | Buffer>;
}

export interface StreamedEvent {
  id: string;
  /** One line of JSON. */
  data: string;
}

export interface StreamBatch {
  events: readonly StreamedEvent[];
  /** The cursor after the last event that was examined; a filter may have skipped events after the last one sent. */
  cursor: string;
  /** Whether there is more to read at once. */
  hasMore: boolean;
}

/** What a stream sends. */
export interface StreamSource {
  /** The cursor at which it begins. A client that is cut off before its first event resumes from it. */
  readonly start: string;
  /** The events after those of the previous call. Returns an empty batch instead of waiting. */
  read(): Promise<StreamBatch>;
  /** Calls the listener when there may be something to read. */
  subscribe(listener: () => void): () => void;
  /** Whether the client may still have what is read. */
  isAllowed(): Promise<boolean>;
  /** Takes a slot among the open streams, or refuses; `onStop` is called when the node stops. Returns how to free it. */
  open(onStop: () => void): () => void;
}

/** A page of the feed: events that are text already, and the cursor after the last event that was examined. */
export interface FeedPage {
  events: readonly string[];
  cursor: string;
}
