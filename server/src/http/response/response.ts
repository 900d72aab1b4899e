import fastJson from 'fast-json-stringify';
import type { TSchema } from 'typebox';
import { once } from '../../lib/once.ts';

/** A response before it is sent: headers in lower case, a body that is already text. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A serialiser that writes the fields of the schema and no others. */
export function serialiserOf(schema: TSchema): (value: unknown) => string {
  const compiled = once(() => fastJson(stripAnnotations(schema) as Parameters<typeof fastJson>[0]));
  return (value) => compiled()(value);
}

/** Formats are promises to clients; a serialiser must not act on them. */
function stripAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(stripAnnotations);
  if (typeof schema !== 'object' || schema === null) return schema;
  // An annotation is a text; a field that is called like one has a schema.
  const kept = Object.entries(schema).filter(
    ([key, value]) => typeof value !== 'string' || (key !== 'format' && key !== 'title'),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, stripAnnotations(value)]));
}
