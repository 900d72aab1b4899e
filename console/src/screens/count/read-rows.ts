import type { InventoryItem, ListInventoryQuery, Page, Pet } from '@petstore/client';
import { store } from '../../api/store.ts';
import { patiently } from '../../parts/patiently.ts';
import type { CountRow } from './count-row.ts';

/** How many pets one count may have: so many fit into the storage of a browser. */
export const ROWS_MAX = 5_000;

const PAGE = 100;

/** The pets to count, with their names. Each 100 of them cost two requests of the plan. */
export async function readRows(
  filter: Pick<ListInventoryQuery, 'categoryId' | 'q'>,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<CountRow[]> {
  const rows: CountRow[] = [];
  const first = () => store.inventory.list({ ...filter, limit: PAGE }, { signal });
  let page: Page<InventoryItem> | undefined = await patiently(first);
  while (page && rows.length <= ROWS_MAX) {
    rows.push(...(await named(page.items, signal)));
    onProgress(rows.length);
    page = await patiently(page.next);
  }
  return rows;
}

async function named(items: readonly InventoryItem[], signal: AbortSignal): Promise<CountRow[]> {
  if (items.length === 0) return [];
  const id = items.map(({ petId }) => petId);
  const { items: pets } = await patiently(() => store.pets.list({ id, limit: PAGE }, { signal }));
  const byId = new Map<number, Pet & { reference?: string }>(pets.map((pet) => [pet.id, pet]));
  return items.flatMap(({ petId, quantity }) => {
    const pet = byId.get(petId);
    if (!pet) return [];
    return [{ petId, name: pet.name, reference: pet.reference, expected: quantity, counted: '' }];
  });
}
