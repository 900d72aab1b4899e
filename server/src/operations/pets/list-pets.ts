import { mapPage } from '../../datastore/list.ts';
import { petStatuses } from '../../domain/stock.ts';
import { readOperation } from '../operation.ts';
import { oneOf, queryId, queryIds, text, words } from '../parameters.ts';
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
  isCacheable: ({ id }) => id === undefined,
  description: 'Pets that match all filters. With `id`, up to 100 pets in one request.',
  query: {
    status: oneOf('Only pets of this status.', petStatuses),
    categoryId: queryId('Only pets of this category.'),
    name: text('Only pets whose name starts with this, case-insensitively.', 200),
    q: words('Only pets with these words in their name.'),
    id: queryIds('Only these pets; may be repeated up to 100 times.', 100),
  },
  list: { sorts: ['id', 'name'] },
  success: listOf(Pet, 'The pets, one page at a time.'),
  example: [examplePet],
  handle: async ({ caller, query, page }, store) => {
    const { name: namePrefix, q: words, id: ids, ...rest } = query;
    const named = { ...(namePrefix ? { namePrefix } : {}), ...(words ? { words } : {}) };
    const filter = { ...rest, ...named, ...(ids ? { ids } : {}) };
    return mapPage(await store.pets.list(caller.workspaceId, filter, page), petView);
  },
});
