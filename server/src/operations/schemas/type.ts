// The types of TypeBox with a builder of our own, which loads faster (ADR 3).

import type TypeBox from 'typebox';
import type { TSchema } from 'typebox';

type Used =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'String'
  | 'Unknown'
  | 'Unsafe';
type Options = Record<string, unknown>;
type Properties = Record<string, TSchema>;
interface ObjectSchema {
  properties: Properties;
}

const optional = new WeakSet<TSchema>();

const builder = {
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  String: (options?: Options) => ({ type: 'string', ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: (schema: TSchema) => ({ ...schema }),
  Object: (properties: Properties, options?: Options) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties,
      ...options,
    };
  },
  Optional: (schema: TSchema) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  Partial: ({ properties }: ObjectSchema, options?: Options) =>
    builder.Object(
      Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, builder.Optional(schema)]),
      ),
      options,
    ),
};

export const Type = builder as unknown as Pick<typeof TypeBox, Used>;
