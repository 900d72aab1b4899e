import TypeBox from 'typebox';
import { expect, it } from 'vitest';
import { Type } from '../../src/operations/schemas/type.ts';

type Builder = typeof Type;

const schemas: Record<string, (type: Builder) => unknown> = {
  'an empty object': (type) => type.Object({}),
  'an object with options': (type) =>
    type.Object({ a: type.String({ minLength: 1 }) }, { title: 'T', additionalProperties: false }),
  'optional properties': (type) =>
    type.Object({ a: type.Optional(type.String()), b: type.Integer({ minimum: 1 }) }),
  'nothing but optional properties': (type) => type.Object({ a: type.Optional(type.Boolean()) }),
  'lists of lists': (type) => type.Array(type.Array(type.Unknown()), { maxItems: 2 }),
  'all properties made optional': (type) =>
    type.Partial(type.Object({ a: type.String(), b: type.Optional(type.String()) }), {
      minProperties: 1,
    }),
  'properties taken over': (type) => {
    const first = type.Object({ a: type.Optional(type.String()), b: type.String() });
    return type.Object({ ...first.properties, c: type.Unsafe<string>({ enum: ['x'] }) });
  },
};

it.each(Object.entries(schemas))('%s is what TypeBox makes of it', (_, make) => {
  expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox as unknown as Builder)));
});
