import type { Order, OrderPatch } from '@petstore/client';
import { wholeNumber } from '../../../ui/fields/stepper.tsx';
import { fromLocalInput, toLocalInput } from '../../../ui/local-time.ts';

/** What the fields of the form hold. */
export interface OrderDraft {
  units: string;
  ships: string;
  holds: string;
}

export function draftOf({ quantity = 1, shipDate, expiresAt }: Order): OrderDraft {
  return {
    units: String(quantity),
    ships: toLocalInput(shipDate),
    holds: toLocalInput(expiresAt),
  };
}

/** The fields that the user changed. A field holds minutes, so one that was left alone keeps its seconds. */
export function patchOf(base: Order, draft: OrderDraft): OrderPatch {
  const before = draftOf(base);
  const units = wholeNumber(draft.units);
  return {
    ...(units !== undefined && units !== base.quantity && { quantity: units }),
    ...(draft.ships !== before.ships && { shipDate: fromLocalInput(draft.ships) ?? null }),
    ...(draft.holds !== before.holds && { expiresAt: fromLocalInput(draft.holds) ?? null }),
  };
}

/** The order as it will be. */
export function patched(order: Order, patch: OrderPatch): Order {
  const { quantity = order.quantity } = patch;
  const time = (value: string | Date | null | undefined, before: string | undefined) =>
    value === undefined ? before : value === null ? undefined : new Date(value).toISOString();
  const { shipDate: _, expiresAt: __, ...rest } = order;
  const shipDate = time(patch.shipDate, order.shipDate);
  const expiresAt = time(patch.expiresAt, order.expiresAt);
  return {
    ...rest,
    quantity,
    ...(shipDate !== undefined && { shipDate }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const HELD_MS_MAX = 30 * 86_400_000;

/** Whether an order may be held until then: later than now and within 30 days. */
export function canHoldUntil(holds: string, now: number): boolean {
  const at = Date.parse(fromLocalInput(holds) ?? '');
  return at > now && at <= now + HELD_MS_MAX;
}
