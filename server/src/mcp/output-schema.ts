import type { Operation } from '../operations/operation.ts';
import { jsonSchemaOf } from './json-schema.ts';

type Json = Record<string, unknown>;

/** What the structured result of a tool looks like; always an object. */
export function outputSchemaOf({ success, takesDryRun }: Operation): Json {
  if (!('schema' in success)) return { type: 'object' };
  const schema = jsonSchemaOf(success.schema) as Json;
  if (isArrayResponse(success)) {
    const items = schema.type === 'array' ? schema : { type: 'array', items: schema };
    const properties = { items, nextCursor: { type: 'string' } };
    return { type: 'object', properties, required: ['items'], additionalProperties: false };
  }
  return { type: 'object', ...(takesDryRun ? withOptionalIds(schema) : schema) };
}

/** Whether the response is a JSON array, which a result holds as its `items`. */
export function isArrayResponse(success: Operation['success']): boolean {
  if (success.kind === 'list' || success.kind === 'feed') return true;
  return 'schema' in success && (success.schema as Json).type === 'array';
}

/** A dry run shows what would be created without its id and its time, which are assigned only to what is kept. */
function withOptionalIds(schema: unknown): Json {
  const { required, ...rest } = schema as { required?: string[] } & Json;
  const parts = Object.entries(rest).map(([name, part]) => [name, withinOf(part)]);
  const still = required?.filter((name) => name !== 'id' && name !== 'at');
  return { ...Object.fromEntries(parts), ...(still?.length ? { required: still } : {}) };
}

function withinOf(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withinOf);
  return typeof part === 'object' && part !== null ? withOptionalIds(part) : part;
}
