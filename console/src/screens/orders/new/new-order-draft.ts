import type { InventoryItem, NewOrder } from '@petstore/client';
import { wholeNumber } from '../../../ui/fields/stepper.tsx';
import { fromLocalInput } from '../../../ui/local-time.ts';
import { newOrderWords as words } from '../../../words/orders.ts';
import { isHeld } from '../../inventory/query.ts';
import { canHoldUntil } from '../order-draft.ts';

/** What the fields of the form hold. */
export interface NewOrderDraft {
  petId: number | undefined;
  units: string;
  ships: string;
  isComplete: boolean;
  holds: string;
}

export function orderOf({ petId, units, ships, isComplete, holds }: NewOrderDraft): NewOrder {
  const shipDate = fromLocalInput(ships);
  const expiresAt = isComplete ? undefined : fromLocalInput(holds);
  return {
    petId: petId ?? 0,
    quantity: wholeNumber(units) ?? 1,
    shipDate,
    expiresAt,
    ...(isComplete && { complete: true }),
  };
}

export interface DraftErrors {
  petId?: string | undefined;
  units?: string | undefined;
  holds?: string | undefined;
}

export interface DraftContext {
  /** The stock as it is now, and as it was when the pet was chosen. */
  item: InventoryItem | undefined;
  first: InventoryItem | undefined;
  now: number;
}

/** What is wrong with the input, as far as the page can know. The service decides. */
export function errorsOf(draft: NewOrderDraft, { item, first, now }: DraftContext): DraftErrors {
  const units = wholeNumber(draft.units);
  const isTooMany = units !== undefined && item !== undefined && units > item.available;
  const wasEnough = units !== undefined && first !== undefined && units <= first.available;
  const isHolding = !draft.isComplete && draft.holds !== '';
  return {
    petId:
      draft.petId === undefined ? words.needsPet : item && isHeld(item) ? words.onHold : undefined,
    units:
      units === undefined
        ? words.needsUnits
        : isTooMany
          ? (wasEnough ? words.soldMeanwhile : words.onlyLeft)(item.available)
          : undefined,
    holds: isHolding && !canHoldUntil(draft.holds, now) ? words.holdsPast : undefined,
  };
}
