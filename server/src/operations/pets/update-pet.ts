import { updatePet as update } from '../../services/pets.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { examplePet, Pet, PetPatch } from '../schemas/pet.ts';
import { record } from '../success.ts';
import { petView } from '../views/pet.ts';

export const updatePet = writeOperation({
  id: 'updatePet',
  method: 'PATCH',
  path: '/pets/{petId}',
  tag: 'animals',
  scope: 'write',
  summary: 'Update a pet',
  description:
    'A merge patch. `pending` puts the pet on hold, `available` lifts the hold, `sold` sets its stock to 0.',
  params: { petId: pathId('ID of the pet.') },
  body: PetPatch,
  requestExample: { name: 'Rex' },
  isConditional: true,
  events: ['pet.updated', 'inventory.low'],
  success: record(Pet, 'The pet as it is now.'),
  errors: ['invalid_status_change', 'pet_has_open_orders', 'reference_taken'],
  example: examplePet,
  handle: async ({ caller, params, body, checkMatch, now }, tx) => {
    const pet = await update(tx, {
      caller,
      id: params.petId,
      patch: body,
      checkMatch: (current) => checkMatch(petView(current)),
      now,
    });
    return petView(pet);
  },
});
