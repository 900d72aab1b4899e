import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import fastJson from 'fast-json-stringify';
import type { TSchema } from 'typebox';
import { once } from '../lib/once.ts';

/** What goes out: headers in lower case, a body that is already text. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A serialiser that writes the fields of the schema and no others. */
export function serialiserOf(schema: TSchema): (value: unknown) => string {
  const compiled = once(() => fastJson(stripAnnotations(schema) as Parameters<typeof fastJson>[0]));
  return (value) => compiled()(value);
}

/** A strong validator: equal exactly when the bytes of the record are. */
export function etagOf(body: string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/** The answer to a read, or 304 where the request says that its client has it already. */
export function metConditions(request: { headers: IncomingHttpHeaders }, answer: Answer): Answer {
  const condition = request.headers['if-none-match'];
  const { etag } = answer.headers;
  if (condition === undefined || etag === undefined || !isNoneMatched(condition, etag))
    return answer;
  return { status: 304, headers: { etag }, body: '' };
}

/** Whether an If-None-Match names this record; the comparison is weak, as RFC 9110 has it. */
function isNoneMatched(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsOf(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** Whether an If-Match allows the change; the comparison is strong, so a weak tag never matches. */
export function isMatched(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsOf(header).includes(etag);
}

function tagsOf(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/** Formats and limits are promises to clients; a serialiser must not trip over them. */
function stripAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(stripAnnotations);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => key !== 'format' && key !== 'title');
  return Object.fromEntries(kept.map(([key, value]) => [key, stripAnnotations(value)]));
}
