export type Json = Record<string, unknown>;

/** Parts of the document that others refer to. */
export interface Components {
  schemas: Json;
  responses: Json;
}

/** Moves titled schemas, wherever they are nested, into the components and refers to them. */
export function referTo(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((part) => referTo(part, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const whole = untrimmed(schema as Json);
  const { title, ...untitled } = whole;
  // A field that is called title has a schema.
  const parts = typeof title === 'string' ? untitled : whole;
  const plain = Object.fromEntries(
    Object.entries(parts).map(([key, part]) => [key, referTo(part, components)]),
  );
  if (typeof title !== 'string') return plain;
  components.schemas[title] = plain;
  return { $ref: `#/components/schemas/${title}` };
}

/** A text that is trimmed before its limits are checked has, in the document, a pattern instead of them. */
function untrimmed(schema: Json): Json {
  const { 'x-trimmed': pattern, ...rest } = schema;
  if (pattern === undefined) return rest;
  const { minLength: _, maxLength: __, ...open } = rest;
  return { ...open, pattern };
}
