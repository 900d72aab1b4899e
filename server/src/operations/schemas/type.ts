// TypeBox's types with a builder of our own. The types, which vanish when the code is loaded, are what it is used
// for; its run-time part is three hundred modules of which nine functions are needed, and loading them took a
// quarter of every start.

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
    const needs = required.length > 0 ? { required } : {};
    return { type: 'object', ...needs, properties, ...options };
  },
  Optional: (schema: TSchema) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  Partial: ({ properties }: { properties: Properties }, options?: Options) =>
    builder.Object(
      Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, builder.Optional(schema)]),
      ),
      options,
    ),
};

export const Type = builder as unknown as Pick<typeof TypeBox, Used>;
