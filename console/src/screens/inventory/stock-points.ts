import type { InventoryItem, Movement } from '@petstore/client';
import type { StockPoint } from '../../charts/step-area.tsx';

export const DAYS_MS = 30 * 86_400_000;
/** How many movements of a pet are read. */
export const ROWS = 100;

/**
 * One step for each movement of the last 30 days, oldest first. The first step is what was there before, unless older
 * movements of these days were not read: then the line begins where it is known.
 */
export function pointsOf(
  newestFirst: readonly Movement[],
  item: InventoryItem,
  now: number,
): StockPoint[] {
  const from = now - DAYS_MS;
  const recent = newestFirst.filter(({ at }) => Date.parse(at) >= from);
  const oldest = recent.at(-1);
  const at = new Date(from).toISOString();
  const start: StockPoint[] =
    oldest === undefined
      ? [{ at, quantity: item.quantity, reserved: item.reserved }]
      : oldest.cause === 'created' || recent.length === ROWS
        ? []
        : [{ at, quantity: oldest.quantityBefore, reserved: oldest.reservedBefore }];
  const steps = recent
    .map(({ at, quantityAfter, reservedAfter }) => ({
      at,
      quantity: quantityAfter,
      reserved: reservedAfter,
    }))
    .reverse();
  return [...start, ...steps];
}
