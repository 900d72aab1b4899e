import type { InventoryItem, ListInventoryQuery } from '@petstore/client';
import { invalidate } from '../../api/query.ts';
import { queryValue } from '../../router.ts';
import type { Tone } from '../../ui/badge.tsx';
import { inventoryWords as words } from '../../words/inventory.ts';

export const tones = { available: 'good', pending: 'warn', sold: 'bad' } as const;
const STATUSES = ['available', 'pending', 'sold'] as const;

/** The status that the address asks for. */
export function statusInAddress(): (typeof STATUSES)[number] | undefined {
  return STATUSES.find((each) => each === queryValue('status'));
}

/** What the address asks for. Anything that it cannot mean is left out. */
export function inventoryFilter(): ListInventoryQuery {
  const asOf = asOfValue();
  const status = statusInAddress();
  const below = Number(queryValue('availableBelow'));
  const name = queryValue('name');
  return {
    // The past has no status and no threshold.
    ...(asOf ? { asOf } : status && { status }),
    ...(!asOf && Number.isInteger(below) && below > 0 && { availableBelow: below }),
    ...(name && { name }),
  };
}

/** The moment that the list is shown for; undefined for now. The address has it in the reader's time. */
export function asOfValue(): string | undefined {
  const at = new Date(queryValue('asOf') ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Pending says either that all is reserved or that the pet is on hold. */
export function isHeld({ status, available }: InventoryItem): boolean {
  return status === 'pending' && available > 0;
}

export function statusOf(item: InventoryItem): readonly [tone: Tone, text: string] {
  if (isHeld(item)) return ['warn', words.badges.held];
  return [tones[item.status], words.badges[item.status]];
}

/** Reads again what a change of a pet or of its stock concerns. */
export function stockChanged(): void {
  invalidate('listInventory', 'getInventoryItem', 'listMovements', 'listLedger', 'listPets');
}
