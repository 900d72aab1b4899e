export type Json = Record<string, unknown>;

/** What several places of the document refer to. */
export interface Components {
  schemas: Json;
  responses: Json;
}

/** Puts titled schemas, wherever they are nested, among the components and refers to them. */
export function referTo(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((part) => referTo(part, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { title, 'x-trimmed': _, ...rest } = schema as Json;
  const plain = Object.fromEntries(
    Object.entries(rest).map(([key, part]) => [key, referTo(part, components)]),
  );
  if (typeof title !== 'string') return plain;
  components.schemas[title] = plain;
  return { $ref: `#/components/schemas/${title}` };
}
