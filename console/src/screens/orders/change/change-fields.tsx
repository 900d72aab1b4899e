import type { InventoryItem, OrderPatch } from '@petstore/client';
import { TextField } from '../../../ui/fields/field.tsx';
import { Stepper, wholeNumber } from '../../../ui/fields/stepper.tsx';
import { newOrderWords, orderStepWords as words } from '../../../words/orders.ts';
import { canHoldUntil, type OrderDraft } from './order-patch.ts';

export interface ChangeFieldsProps {
  draft: OrderDraft;
  errors: Partial<Record<keyof OrderDraft, string | undefined>>;
  onChange: (draft: OrderDraft) => void;
}

export function ChangeFields({ draft, errors, onChange }: ChangeFieldsProps) {
  return (
    <>
      <Stepper
        label={words.units}
        fewer={newOrderWords.fewer}
        more={newOrderWords.oneMore}
        value={draft.units}
        onInput={(units) => onChange({ ...draft, units })}
        error={errors.units}
        isFocused
      />
      <TextField
        label={words.ships}
        type="datetime-local"
        isOptional
        hint={words.shipsHint}
        value={draft.ships}
        onInput={(ships) => onChange({ ...draft, ships })}
      />
      <TextField
        label={words.holds}
        type="datetime-local"
        isOptional
        hint={words.holdsHint}
        value={draft.holds}
        onInput={(holds) => onChange({ ...draft, holds })}
        error={errors.holds}
      />
    </>
  );
}

export interface ErrorsInput {
  draft: OrderDraft;
  patch: OrderPatch;
  /** How many more units the order would hold. */
  difference: number;
  item: InventoryItem | undefined;
}

export function errorsOf({ draft, patch, difference, item }: ErrorsInput) {
  const units =
    wholeNumber(draft.units) === undefined
      ? words.needsUnits
      : item && difference > item.available
        ? words.onlyMore(item.available)
        : undefined;
  const isBadEnd = patch.expiresAt != null && !canHoldUntil(draft.holds, Date.now());
  return { units, holds: isBadEnd ? newOrderWords.holdsPast : undefined };
}
