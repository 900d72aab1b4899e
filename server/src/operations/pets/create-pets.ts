import { createPets as create } from '../../services/batches/pet-batches.ts';
import { writeOperation } from '../operation.ts';
import { batchCost } from '../schemas/batches/batch.ts';
import { BatchResult, PetBatch, PetBatchFrame, petRowOf } from '../schemas/batches/pet-batch.ts';
import { examplePet } from '../schemas/pet.ts';
import { value } from '../success.ts';
import { petBatchPreview } from '../views/batch-preview.ts';
import { petView } from '../views/pet.ts';

export const createPets = writeOperation({
  id: 'createPets',
  method: 'POST',
  path: '/pets/batch',
  tag: 'animals',
  scope: 'write',
  stability: 'experimental',
  summary: 'Create up to 1,000 pets',
  description:
    'Mode `all`, the default: creates all pets or none. Mode `each`: skips invalid rows and reports their errors. Every 100 rows cost one request of the quota.',
  body: PetBatch,
  bodyToCheck: PetBatchFrame,
  requestExample: {
    pets: [
      { name: 'Rex', categoryId: 1 },
      { name: 'Mia', categoryId: 1, status: 'pending' },
    ],
  },
  cost: ({ pets }) => batchCost(pets),
  events: ['pet.created'],
  success: value(
    BatchResult,
    'The outcome of each row, in the order of the rows.',
    petBatchPreview,
  ),
  example: { created: 1, refused: 0, results: [{ pet: examplePet }] },
  handle: async ({ caller, body, now }, tx) => {
    const isAllOrNothing = (body.mode ?? 'all') === 'all';
    const rows = body.pets.map(petRowOf);
    const outcomes = await create(tx, { caller, rows, isAllOrNothing, now });
    const created = outcomes.filter((outcome) => 'pet' in outcome).length;
    const results = outcomes.map((outcome) =>
      'pet' in outcome ? { pet: petView(outcome.pet) } : { errors: [...outcome.faults] },
    );
    return { created, refused: outcomes.length - created, results };
  },
});
