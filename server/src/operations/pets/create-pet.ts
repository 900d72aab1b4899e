import { createPet as create } from '../../services/pets.ts';
import { writeOperation } from '../operation.ts';
import { examplePet, NewPet, Pet } from '../schemas/pet.ts';
import { created } from '../success.ts';
import { petView } from '../views/pet.ts';

export const createPet = writeOperation({
  id: 'createPet',
  method: 'POST',
  path: '/pets',
  tag: 'animals',
  scope: 'write',
  summary: 'Create a pet',
  description:
    'The stock of a new pet is 1; with status `sold` it is 0, with status `pending` it is 1 and on hold.',
  body: NewPet,
  requestExample: { name: 'Rex', categoryId: 1 },
  events: ['pet.created'],
  errors: ['reference_taken'],
  success: created(Pet, 'The pet that was created.', (pet) => `/pets/${pet.id}`),
  example: examplePet,
  handle: async ({ caller, body, now }, tx) =>
    petView(await create(tx, { caller, pet: body, now })),
});
