import type { Refusal } from '../../../domain/errors.ts';
import type { NewPet as NewPetInput } from '../../../domain/pet.ts';
import { choice, count, object } from '../fields.ts';
import { NewPet, Pet } from '../pet.ts';
import { Type } from '../type.ts';
import { batchBody, batchFrame, rowChecker } from './batch.ts';

type PetBatchBody = { pets: unknown[]; mode?: 'all' | 'each'; onReference?: 'update' };
const PETS_MAX = 1_000;
const spec = {
  title: 'PetBatch',
  field: 'pets',
  row: NewPet,
  rowName: 'NewPet',
  rowsMax: PETS_MAX,
  options: {
    onReference: choice(
      ['update'] as const,
      '`update`: a row whose reference a pet has changes that pet, as `putPetByReference` does. If absent, such a row is refused.',
    ),
  },
} as const;

export const PetBatch = Type.Unsafe<PetBatchBody>(batchBody(spec));
export const PetBatchFrame = batchFrame(spec);

const RowError = object('RowError', { field: Type.String(), message: Type.String() });

export const BatchResult = object('BatchResult', {
  created: count('Rows that were created.', 0, PETS_MAX),
  updated: count(
    'Rows that changed a pet with their reference, or left it as it was.',
    0,
    PETS_MAX,
  ),
  refused: count('Rows that were refused.', 0, PETS_MAX),
  results: Type.Array(
    object('RowResult', {
      pet: Type.Optional(Pet),
      updated: Type.Optional(
        Type.Unsafe<true>({
          type: 'boolean',
          enum: [true],
          description: 'The pet was there before; absent if it was created.',
        }),
      ),
      errors: Type.Optional(Type.Array(RowError)),
    }),
    {
      description: 'For each row, in order: the pet, or its errors. A dry run shows errors only.',
    },
  ),
});

/** A row of a batch, checked like the body of createPet. */
export const petRowOf = rowChecker(NewPet) as (row: unknown) => NewPetInput | Refusal;
