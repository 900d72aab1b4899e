import { createPets as create } from '../../services/batches/pet-batches.ts';
import { writeOperation } from '../operation.ts';
import { batchCost } from '../schemas/batches/batch.ts';
import { BatchResult, PetBatch, PetBatchFrame, petRowOf } from '../schemas/batches/pet-batch.ts';
import { examplePet } from '../schemas/pet.ts';
import { value } from '../success.ts';
import { petBatchPreview, rowErrorsView } from '../views/batch.ts';
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
    'Mode `all`, the default: creates all pets or none. Mode `each`: skips invalid rows and reports their errors. With `onReference: "update"`, a row whose reference a pet has changes that pet. A reference can be in one row only. Every 100 rows cost one request of the quota.',
  body: PetBatch,
  bodyToCheck: PetBatchFrame,
  requestExample: {
    pets: [
      { name: 'Rex', categoryId: 1 },
      { name: 'Mia', categoryId: 1, status: 'pending' },
    ],
  },
  cost: ({ pets }) => batchCost(pets),
  events: ['pet.created', 'pet.updated', 'inventory.low'],
  success: value(
    BatchResult,
    'The outcome of each row, in the order of the rows.',
    petBatchPreview,
  ),
  errors: ['reference_taken', 'invalid_status_change', 'pet_has_open_orders'],
  example: { created: 1, updated: 0, refused: 0, results: [{ pet: examplePet }] },
  handle: async ({ caller, body, now }, tx) => {
    const isAllOrNothing = (body.mode ?? 'all') === 'all';
    const rows = body.pets.map(petRowOf);
    const isUpdating = body.onReference === 'update';
    const outcomes = await create(tx, { caller, rows, isAllOrNothing, isUpdating, now });
    const results = outcomes.map((outcome) => {
      if ('refusal' in outcome) return { errors: rowErrorsView(outcome.refusal) };
      const pet = petView(outcome.pet);
      return outcome.isNew ? { pet } : { pet, updated: true as const };
    });
    const refused = results.filter((row) => 'errors' in row).length;
    const updated = results.filter((row) => 'updated' in row).length;
    return { created: results.length - updated - refused, updated, refused, results };
  },
});
