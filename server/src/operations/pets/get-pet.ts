import { notFound } from '../../domain/errors.ts';
import { readOperation } from '../operation.ts';
import { pathId } from '../parameters.ts';
import { examplePet, Pet } from '../schemas/pet.ts';
import { record } from '../success.ts';
import { petView } from '../views/pet.ts';

export const getPet = readOperation({
  id: 'getPet',
  method: 'GET',
  path: '/pets/{petId}',
  tag: 'animals',
  scope: 'read',
  summary: 'Get a pet',
  cacheableUntil: 'workspaceWrites',
  deprecation: {
    since: '2026-01-01',
    sunset: '2030-12-05',
    successor: 'GET /pets?id={petId}',
    successorPath: ({ petId }) => `/v1/pets?id=${encodeURIComponent(petId ?? '')}`,
  },
  params: { petId: pathId('ID of the pet.') },
  success: record(Pet, 'The pet.'),
  example: examplePet,
  handle: async ({ caller, params }, store) => {
    const pet = await store.pets.find(caller.workspaceId, params.petId);
    if (!pet) throw notFound('pet', params.petId);
    return petView(pet);
  },
});
