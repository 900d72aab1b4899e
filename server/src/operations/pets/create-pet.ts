import { createPet as create } from '../../services/pets.ts';
import { created, writeOperation } from '../operation.ts';
import { examplePet, NewPet, Pet } from '../schemas/pet.ts';

export const createPet = writeOperation({
  id: 'createPet',
  method: 'POST',
  path: '/pets',
  tag: 'animals',
  scope: 'write',
  summary: 'Create a pet',
  description:
    'It starts with a stock of 1; created as `sold` with none, as `pending` with 1 that is on hold.',
  body: NewPet,
  success: created(Pet, 'The pet that was created.', (pet) => `/pets/${pet.id}`),
  example: examplePet,
  handle: ({ caller, body, now }, tx) => create(tx, caller, body, now),
});
