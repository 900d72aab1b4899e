import type { Operation } from '../operations/operation.ts';
import { type Param, type Params, pagingParameters } from '../operations/parameters.ts';
import { briefly, jsonSchemaOf, withoutDescriptions } from './json-schema.ts';

type Json = Record<string, unknown>;

interface Body {
  properties?: Record<string, Json>;
  required?: readonly string[];
  anyOf?: readonly Body[];
}

/** The fields of an operation's body, in the order of its schema. */
interface BodyFields {
  properties: Record<string, Json>;
  required: readonly string[];
}

const NO_FIELDS: BodyFields = { properties: {}, required: [] };
const CURSOR = 'A nextCursor.';
const AFTER = 'A nextCursor, an event id, `0` or `latest`.';
/** What the instructions explain once for all tools, or what a name says. */
const SELF_EXPLAINING = new Set([
  ...['dryRun', 'limit', 'sort', 'reference', 'status', 'wait', 'minutes'],
  ...['petId', 'orderId', 'categoryId', 'movementId', 'keyId'],
]);

/** The filters and the paging parameters of an operation. */
export function queryOf({ query = {}, list, success }: Operation): Params {
  if (success.kind === 'feed') return { ...query, after: { ...query.after!, description: AFTER } };
  if (!list) return query;
  const { cursor, ...paging } = pagingParameters(list, query);
  return { ...query, ...paging, cursor: { ...cursor!, description: CURSOR } };
}

/** Where a body has several forms, the fields of the first, each with the choices that any form has. */
export function bodyFieldsOf({ body }: Operation): BodyFields {
  if (!body) return NO_FIELDS;
  const { anyOf, properties = {}, required = [] } = body as Body;
  if (!anyOf) return { properties, required };
  const [first] = anyOf as readonly [Body];
  const merged = Object.entries(first.properties!).map(([name, field]) => {
    const choices = anyOf.flatMap((form) => (form.properties![name]!.enum as unknown[]) ?? []);
    const { description: _, ...shape } = field;
    return [name, choices.length > 0 ? { ...shape, enum: choices } : field];
  });
  return { properties: Object.fromEntries(merged), required: first.required ?? [] };
}

/** The arguments of a tool: the parameters of the path, the query and the fields of the body in one object. */
export function inputSchemaOf(operation: Operation): Json {
  const { params = {}, kind } = operation;
  const body = bodyFieldsOf(operation);
  const properties = {
    ...schemasOf(params),
    ...briefFieldsOf(body.properties),
    ...schemasOf(queryOf(operation)),
    ...(kind === 'read' ? {} : { idempotencyKey: { type: 'string' } }),
  };
  const required = [
    ...Object.keys(params),
    ...(operation.isBodyOptional === true ? [] : body.required),
  ];
  return briefly({
    type: 'object',
    ...(jsonSchemaOf({ properties }) as Json),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }) as Json;
}

function schemasOf(params: Params): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(params).map(([name, param]) => [name, schemaOfParam(name, param)]),
  );
}

function schemaOfParam(name: string, param: Param<unknown>): Json {
  const { description, repeatable } = param;
  // The description says it, and a model leaves out what it need not send.
  const { default: _, ...schema } = param.schema;
  const shape = repeatable ? { type: 'array', items: schema } : schema;
  return SELF_EXPLAINING.has(name) ? shape : { ...shape, description };
}

function briefFieldsOf(fields: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (field.items !== undefined) return [name, withoutDescriptions(field)];
      const { description: _, ...shape } = field;
      return [name, SELF_EXPLAINING.has(name) ? shape : field];
    }),
  );
}

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
