import { createPets as create } from '../../services/pet-batches.ts';
import { value, writeOperation } from '../operation.ts';
import { BatchResult, examplePet, PetBatch } from '../schemas/pet.ts';
import { petRowOf } from '../schemas/pet-row.ts';
import { Type } from '../schemas/type.ts';

const ROWS_PER_REQUEST = 100;

export const createPets = writeOperation({
  id: 'createPets',
  method: 'POST',
  path: '/pets/batch',
  tag: 'animals',
  scope: 'write',
  stability: 'experimental',
  summary: 'Create up to 1,000 pets',
  description:
    'All or nothing, or each by itself with an error per row. Costs one request of the quota for every 100 rows.',
  body: PetBatch,
  // Rows are checked one by one, so that each can have an error of its own.
  bodyChecked: Type.Object(
    { ...PetBatch.properties, pets: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }) },
    { additionalProperties: false },
  ),
  cost: ({ pets }) => Math.ceil(pets.length / ROWS_PER_REQUEST),
  success: value(BatchResult, 'What became of each row, in their order.'),
  example: { created: 1, refused: 0, results: [{ pet: examplePet }] },
  handle: async ({ caller, body, now }, tx) => {
    const isAllOrNothing = (body.mode ?? 'all') === 'all';
    const outcomes = await create(tx, caller, body.pets.map(petRowOf), isAllOrNothing, now);
    const created = outcomes.filter((outcome) => 'pet' in outcome).length;
    const results = outcomes.map((outcome) =>
      'pet' in outcome ? outcome : { errors: [...outcome.faults] },
    );
    return { created, refused: outcomes.length - created, results };
  },
});
