import type { InventoryItem, WithResponse } from '@petstore/client';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';

/** The stock of a pet, with its ETag. `petId` is undefined until it is known which pet. */
export function useItem(petId: number | undefined, isEnabled = true) {
  return useQuery<WithResponse<InventoryItem>>({
    key: ['getInventoryItem', petId ?? 0],
    read: (signal) => store.inventory.get(petId ?? 0, {}, { signal }).withResponse(),
    isEnabled: isEnabled && petId !== undefined,
  });
}
