import { Refusal } from '../../../domain/errors.ts';
import type { NewPet as NewPetInput } from '../../../domain/pet.ts';
import type { PetBatchRow } from '../../../services/batches/pet-batches.ts';
import { count } from '../fields.ts';
import { NewPet, Pet } from '../pet.ts';
import { Type } from '../type.ts';
import { bodyChecker } from '../validator.ts';
import { batchBody, batchFrame } from './batch.ts';

const PETS_MAX = 1_000;
const spec = {
  title: 'PetBatch',
  field: 'pets',
  row: NewPet,
  rowName: 'NewPet',
  rowsMax: PETS_MAX,
} as const;

export const PetBatch = batchBody(spec);
export const PetBatchFrame = batchFrame(spec);

const RowError = Type.Object(
  { field: Type.String(), message: Type.String() },
  { title: 'RowError', additionalProperties: false },
);

export const BatchResult = Type.Object(
  {
    created: count('Rows that were created.', 0, PETS_MAX),
    refused: count('Rows that were refused.', 0, PETS_MAX),
    results: Type.Array(
      Type.Object(
        { pet: Type.Optional(Pet), errors: Type.Optional(Type.Array(RowError)) },
        { title: 'RowResult', additionalProperties: false },
      ),
      {
        description: 'For each row, in order: the pet, or its errors. A dry run shows errors only.',
      },
    ),
  },
  { title: 'BatchResult', additionalProperties: false },
);

const checkRow = bodyChecker(NewPet, false);

/** A row of a batch or of an import, checked like the body of createPet. */
export function petRowOf(row: unknown): PetBatchRow {
  try {
    return checkRow(row) as NewPetInput;
  } catch (err) {
    if (!(err instanceof Refusal) || !Array.isArray(err.details)) throw err;
    return { faults: err.details };
  }
}
