import { deletePet as remove } from '../../services/pets.ts';
import { writeOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { empty } from '../success.ts';
import { petView } from '../views/pet.ts';

export const deletePet = writeOperation({
  id: 'deletePet',
  method: 'DELETE',
  path: '/pets/{petId}',
  tag: 'animals',
  scope: 'write',
  summary: 'Delete a pet',
  description: 'Hides the pet, its stock and its ledger. Its orders stay readable.',
  params: { petId: pathId('ID of the pet.') },
  isConditional: true,
  events: ['pet.deleted'],
  success: empty('The pet is deleted.'),
  errors: ['pet_has_open_orders'],
  handle: ({ caller, params, checkMatch, now }, tx) =>
    remove(tx, {
      caller,
      id: params.petId,
      checkMatch: (pet) => checkMatch(petView(pet)),
      now,
    }),
});
