type Json = Record<string, unknown>;

/** Keywords that JSON Schema 2020-12 does not have, or that a model can do without. */
const LEFT_OUT = new Set(['title', 'example', 'discriminator']);

/** The schema of an operation, which is one of OpenAPI 3.0, as JSON Schema 2020-12. */
export function jsonSchemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = schema as Json;
  if (nullable === true) return orNull(rest);
  const isTrimmed = 'x-trimmed' in rest;
  const kept = Object.entries(rest).filter(
    ([name, value]) =>
      !LEFT_OUT.has(name) &&
      !name.startsWith('x-') &&
      !(name === 'format' && value === 'int64') &&
      // The limits of a text that is trimmed hold for what is left of it.
      !(isTrimmed && /Length$/.test(name)),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, partOf(name, value)]));
}

/** Two types in two branches: some models take one `type` only. */
function orNull({ description, ...schema }: Json): Json {
  const choices = schema.enum as unknown[] | undefined;
  const enumeration = choices ? { enum: choices.filter((choice) => choice !== null) } : {};
  const anyOf = [jsonSchemaOf({ ...schema, ...enumeration }), { type: 'null' }];
  return { ...(description === undefined ? {} : { description }), anyOf };
}

/** For the rows of a batch: the tool that takes one row describes its fields. */
export function withoutDescriptions<T>(schema: T): T {
  return JSON.parse(
    JSON.stringify(schema, (name, part: unknown) => {
      const isText = name === 'description' && typeof part === 'string';
      return isText ? undefined : part;
    }),
  );
}

/** The names below `properties` are fields, not keywords. */
function partOf(name: string, value: unknown): unknown {
  if (name !== 'properties') return name === 'enum' ? value : jsonSchemaOf(value);
  const fields = Object.entries(value as Json).map(([field, part]) => [field, jsonSchemaOf(part)]);
  return Object.fromEntries(fields);
}

const UNNEEDED = /^(pattern|(min|max)(Length|Items))$/;
const CHOICES_MAX = 20;
const RANGE_MAX = 1_000;

/**
 * The same without what a model can do without, since every list of tools takes room in its context: patterns, the limits
 * of texts, wide ranges, the least of a count and long lists of choices. The service checks them all.
 */
export function briefly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(briefly);
  if (typeof schema !== 'object' || schema === null) return schema;
  const isWide = !(Number((schema as Json).maximum) <= RANGE_MAX);
  const kept = Object.entries(schema).filter(
    ([name, part]) =>
      !UNNEEDED.test(name) &&
      !(isWide && name === 'maximum') &&
      !(name === 'minimum' && (isWide || Number(part) <= 1)) &&
      !(name === 'enum' && (part as unknown[]).length > CHOICES_MAX),
  );
  return Object.fromEntries(kept.map(([name, part]) => [name, briefly(part)]));
}
