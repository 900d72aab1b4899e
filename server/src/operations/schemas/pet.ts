import { Type } from 'typebox';
import { petStatuses } from '../../domain/stock.ts';
import { choice, count, id, name, PetStatus } from './fields.ts';

const petName = name("The animal's name.", 'Rex');
const categoryId = id('ID of the category the animal belongs to.');

export const NewPet = Type.Object(
  { name: petName, categoryId, status: Type.Optional(PetStatus) },
  { title: 'NewPet', additionalProperties: false },
);

export const Pet = Type.Object(
  {
    id: id('Unique identifier assigned on creation.'),
    name: petName,
    categoryId,
    status: PetStatus,
  },
  { title: 'Pet', additionalProperties: false },
);

export const PetPatch = Type.Object(
  {
    name: Type.Optional(petName),
    categoryId: Type.Optional(categoryId),
    status: Type.Optional(
      Type.Unsafe<(typeof petStatuses)[number] | null>({
        type: 'string',
        nullable: true,
        enum: [...petStatuses, null],
        description: 'The new status; null keeps the derived one.',
      }),
    ),
  },
  { title: 'PetPatch', additionalProperties: false },
);

export const PetBatch = Type.Object(
  {
    pets: Type.Array(NewPet, { minItems: 1, maxItems: 1_000, description: 'The pets to create.' }),
    mode: Type.Optional(
      choice(
        ['all', 'each'] as const,
        '`all` (the default): one invalid row refuses the batch. `each`: invalid rows are skipped.',
      ),
    ),
  },
  { title: 'PetBatch', additionalProperties: false },
);

const RowError = Type.Object(
  { field: Type.String(), message: Type.String() },
  { title: 'RowError', additionalProperties: false },
);

export const BatchResult = Type.Object(
  {
    created: count('Rows that were created.', 0, 1_000),
    refused: count('Rows that were refused.', 0, 1_000),
    results: Type.Array(
      Type.Object(
        { pet: Type.Optional(Pet), errors: Type.Optional(Type.Array(RowError)) },
        { title: 'RowResult', additionalProperties: false },
      ),
      { description: 'For each row, in order: the pet, or its errors.' },
    ),
  },
  { title: 'BatchResult', additionalProperties: false },
);

export const examplePet = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
