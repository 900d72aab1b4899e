import type { InventoryItem } from '@petstore/client';
import { useRef } from 'preact/hooks';
import { useItem } from '../../inventory/use-item.ts';

/** The stock of the chosen pet as it is now, and as it was when it was chosen. */
export function useChosenItem(petId: number | undefined) {
  const { data } = useItem(petId);
  const first = useRef<InventoryItem | undefined>(undefined);
  const item = petId === undefined ? undefined : data?.data;
  if (item?.petId !== first.current?.petId) first.current = item;
  return { item, first: first.current };
}
