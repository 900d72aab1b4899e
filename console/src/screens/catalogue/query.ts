import type { ListPetsQuery, Page, Pet } from '@petstore/client';
import { queries } from '../../api/query.ts';
import { searchFor } from '../../parts/name-words.ts';
import { sortInAddress } from '../../parts/sort-by.ts';
import { queryNumber, queryValue } from '../../router.ts';
import { statusInAddress } from '../inventory/query.ts';

export const NAME_LENGTH_MAX = 200;

/** What the address asks for. Anything that it cannot mean is left out. */
export function petFilter(): ListPetsQuery {
  return {
    status: statusInAddress(),
    categoryId: queryNumber('categoryId'),
    q: searchFor(queryValue('name')),
    sort: sortInAddress(['name', '-name']),
  };
}

/** Shows a pet as it will be, until the service has said what it is. */
export function showPet(pet: Pet): void {
  for (const query of queries.of<Page<Pet>>('listPets')) {
    const page = query.data;
    if (page?.items.some(({ id }) => id === pet.id))
      query.set({ ...page, items: page.items.map((each) => (each.id === pet.id ? pet : each)) });
  }
}
