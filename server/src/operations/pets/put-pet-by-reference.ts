import { invalidField } from '../../domain/errors.ts';
import { putPet } from '../../services/pets.ts';
import { writeOperation } from '../operation.ts';
import { pathReference } from '../parameters.ts';
import { examplePet, NewPet, Pet } from '../schemas/pet.ts';
import { put } from '../success.ts';
import { petView } from '../views/pet.ts';

export const putPetByReference = writeOperation({
  id: 'putPetByReference',
  method: 'PUT',
  path: '/pets/by-reference/{reference}',
  tag: 'animals',
  scope: 'write',
  stability: 'experimental',
  summary: 'Create or update the pet with a reference',
  description:
    'Creates the pet with this reference, or changes it as `updatePet` does: optional fields that are absent keep their values, and `metadata` is merged by key. Sent again, it changes nothing more. `reference` in the body may be left out. A dry run answers 201 or 200 as it would.',
  params: { reference: pathReference('The reference of the pet; write a slash as `%2F`.') },
  body: NewPet,
  requestExample: { name: 'Rex', categoryId: 1 },
  isConditional: true,
  events: ['pet.created', 'pet.updated', 'inventory.low'],
  success: put(Pet, 'The pet that was created.', (pet) => `/pets/${pet.id}`),
  errors: ['invalid_status_change', 'pet_has_open_orders'],
  example: { ...examplePet, reference: 'SKU-1042' },
  handle: async ({ caller, params: { reference }, body, checkMatch, now }, tx) => {
    if (body.reference !== undefined && body.reference !== reference) {
      throw invalidField('reference', 'must be the same as in the path, or absent');
    }
    const { pet, isNew } = await putPet(tx, {
      caller,
      reference,
      pet: body,
      checkMatch: (before) => checkMatch(before && petView(before)),
      now,
    });
    return { record: petView(pet), isNew };
  },
});
