import { mapPage } from '../../datastore/list.ts';
import { petStatuses } from '../../domain/stock.ts';
import { readOperation } from '../operation.ts';
import { oneOf, queryId, queryIds, repeated, text, words } from '../parameters.ts';
import { examplePet, Pet } from '../schemas/pet.ts';
import { listOf } from '../success.ts';
import { petView } from '../views/pet.ts';

export const listPets = readOperation({
  id: 'listPets',
  method: 'GET',
  path: '/pets',
  tag: 'animals',
  scope: 'read',
  summary: 'List pets',
  cacheableUntil: 'workspaceWrites',
  // The same ids are rarely requested again, and caching the response costs 8 % of the request.
  isCacheable: ({ id, reference }) => id === undefined && reference === undefined,
  description:
    'Pets that match all filters. With `id` or `reference`, up to 100 pets in one request.',
  query: {
    status: oneOf('Only pets of this status.', petStatuses),
    categoryId: queryId('Only pets of this category.'),
    name: text('Only pets whose name starts with this, case-insensitively.', 200),
    q: words('Only pets with these words in their name.'),
    reference: repeated(
      text('Only pets with this reference; may be repeated up to 100 times.', 100),
      100,
    ),
    id: queryIds('Only these pets; may be repeated up to 100 times.', 100),
  },
  list: { sorts: ['id', 'name'] },
  success: listOf(Pet, 'The pets, one page at a time.'),
  example: [examplePet],
  handle: async ({ caller, query, page }, store) => {
    const { name: namePrefix, q: words, id: ids, reference: references, ...rest } = query;
    const filter = { ...rest, namePrefix, words, ids, references };
    return mapPage(await store.pets.list(caller.workspaceId, filter, page), petView);
  },
});
