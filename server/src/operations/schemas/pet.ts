import { Type } from 'typebox';
import { petStatuses } from '../../domain/stock.ts';
import { choice, count, id, name, newName, PetStatus } from './fields.ts';

const petName = name("The animal's name.", 'Rex');
const newPetName = newName("The animal's name.", 'Rex');
const categoryId = id('ID of the category the animal belongs to.');

export const NewPet = Type.Object(
  { name: newPetName, categoryId, status: Type.Optional(PetStatus) },
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
    name: Type.Optional(newPetName),
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

interface PetBatchBody {
  pets: unknown[];
  mode?: 'all' | 'each';
}

const rows = { minItems: 1, maxItems: 1_000 };

/** The body of createPets as the contract shows it. */
export const PetBatch = Type.Unsafe<PetBatchBody>({
  title: 'PetBatch',
  anyOf: [
    batchSchema({ type: 'array', ...rows, items: NewPet }, 'all'),
    batchSchema({ type: 'array', ...rows, items: {} }, 'each'),
  ],
});

/** The body of createPets without its rows, which the handler validates one by one. */
export const PetBatchFrame = Type.Object(
  {
    pets: Type.Array(Type.Unknown(), rows),
    mode: Type.Optional(choice(['all', 'each'] as const, 'What an invalid row does.')),
  },
  { additionalProperties: false },
);

function batchSchema(pets: object, mode: 'all' | 'each'): object {
  const isDefault = mode === 'all';
  const description = isDefault
    ? 'The default: one invalid row refuses the batch.'
    : 'A row that is no valid NewPet is skipped, and its result has the errors.';
  return {
    type: 'object',
    required: isDefault ? ['pets'] : ['pets', 'mode'],
    properties: { pets, mode: { type: 'string', enum: [mode], description } },
    additionalProperties: false,
  };
}

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
