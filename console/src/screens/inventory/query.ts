import type { InventoryItem, ListInventoryQuery } from '@petstore/client';
import { searchFor } from '../../parts/name-words.ts';
import { queryNumber, queryValue } from '../../router.ts';
import type { Tone } from '../../ui/badge.tsx';
import { instantIn } from '../../ui/local-time.ts';
import { inventoryWords as words } from '../../words/inventory.ts';

export const tones = { available: 'good', pending: 'warn', sold: 'bad' } as const;
const STATUSES = ['available', 'pending', 'sold'] as const;

/** The status that the address asks for. */
export function statusInAddress(): (typeof STATUSES)[number] | undefined {
  return STATUSES.find((each) => each === queryValue('status'));
}

/** Whether the address asks for what is low. */
export const isLowInAddress = () => queryValue('low') === '1';

/** What the address asks for. Anything that it cannot mean is left out. */
export function inventoryFilter(): ListInventoryQuery {
  const asOf = asOfValue();
  return {
    // The past has no status and no threshold.
    ...(asOf
      ? { asOf }
      : {
          status: statusInAddress(),
          availableBelow: queryNumber('availableBelow'),
          low: isLowInAddress() || undefined,
        }),
    q: searchFor(queryValue('name')),
  };
}

/** The service has the stock of moments that are at least this long ago. */
const PAST_MS = 5_000;

/** The moment that the list is shown for; undefined for now, and for a moment that is still to come. */
export function asOfValue(): string | undefined {
  const at = instantIn(queryValue('asOf'));
  return at !== undefined && Date.parse(at) <= latestPast() ? at : undefined;
}

/** The latest moment that the list can be shown for. */
export const latestPast = () => Date.now() - PAST_MS;

/** Pending says either that all is reserved or that the pet is on hold. */
export function isHeld({ status, available }: InventoryItem): boolean {
  return status === 'pending' && available > 0;
}

export function statusOf(item: InventoryItem): readonly [tone: Tone, text: string] {
  if (isHeld(item)) return ['warn', words.badges.held];
  return [tones[item.status], words.badges[item.status]];
}
