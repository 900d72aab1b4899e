// The same contract as OpenAPI 3.1, for tools that expect it. The two differ in how null is written, and 3.1 has a
// place for webhooks.

import type { Json } from './components.ts';

export function openApi31(document: Json): Json {
  const { 'x-webhooks': webhooks = {}, ...rest } = document;
  return { ...(withNullTypes(rest) as Json), openapi: '3.1.0', webhooks: withNullTypes(webhooks) };
}

/** `nullable` becomes null among the types. */
function withNullTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNullTypes);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, withNullTypes(part)]);
  const { nullable, ...schema } = Object.fromEntries(entries) as Json;
  if (nullable !== true) return Object.fromEntries(entries);
  return typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
