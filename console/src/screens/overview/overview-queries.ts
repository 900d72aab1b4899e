// What several parts of the overview show. Each part reads what it shows by itself, so an answer draws no other part anew.

import type { InventoryItem, Pet } from '@petstore/client';
import { type Query, useQuery } from '../../api/query.ts';
import { type Known, lowStockQuery, usePets } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';

const LATEST = 6;
const LOWEST = 3;

export const movementsQuery = {
  key: ['listLedger', { limit: LATEST }],
  read: (signal: AbortSignal) => store.inventory.ledger({ limit: LATEST }, { signal }),
} satisfies Query<unknown>;

/** Those of the low pets that the overview names, most urgent first. */
export function lowestOf(items: readonly InventoryItem[]): InventoryItem[] {
  return [...items]
    .sort((a, b) => a.available - b.available || b.reserved - a.reserved)
    .slice(0, LOWEST);
}

/** The pets that the overview names: one request, once it is known which they are. */
export function useNamedPets(): Known<number, Pet> {
  const low = useQuery(lowStockQuery());
  const movements = useQuery(movementsQuery);
  const isSettled = [low, movements].every(({ data, error }) => data ?? error);
  const named = [...lowestOf(low.data?.items ?? []), ...(movements.data?.items ?? [])];
  return usePets(isSettled ? named.map(({ petId }) => petId) : undefined);
}
