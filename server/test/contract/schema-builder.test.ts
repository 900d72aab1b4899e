import { Type as TypeBox } from 'typebox';
import { expect, it } from 'vitest';
import { Type } from '../../src/operations/schemas/type.ts';

const options = { title: 'T', description: 'D', additionalProperties: false };

/** Every function of the builder, each with and without options. */
function schemas(type: typeof Type) {
  const pet = type.Object({
    name: type.String({ maxLength: 9 }),
    price: type.Optional(type.Integer({ minimum: 0, ...options })),
    isSold: type.Optional(type.Boolean()),
    tags: type.Array(type.String(), options),
    more: type.Unknown(),
  });
  return {
    pet,
    scalars: [type.String(), type.Integer(), type.Boolean(options), type.Unknown(options)],
    array: type.Array(pet),
    described: type.Object(
      { pet, tag: type.Unsafe<string>({ type: 'string', ...options }) },
      options,
    ),
    empty: type.Object({}),
    optionalOnly: type.Object({ a: type.Optional(type.String()) }),
    partial: type.Partial(pet),
    partialWithOptions: type.Partial(pet, options),
  };
}

it('builds the schemas that TypeBox builds', () => {
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
  expect(plain(schemas(Type))).toEqual(plain(schemas(TypeBox)));
});

it('leaves the schema required that was made optional elsewhere', () => {
  const name = Type.String();
  Type.Optional(name);
  expect(Type.Object({ name })).toMatchObject({ required: ['name'] });
});
