import { PetPicker } from '../../../parts/pet-picker.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { Stepper } from '../../../ui/fields/stepper.tsx';
import { newOrderWords as words } from '../../../words/orders.ts';
import type { DraftErrors, NewOrderDraft } from './new-order-draft.ts';

export interface NewOrderFieldsProps {
  draft: NewOrderDraft;
  errors: DraftErrors;
  onChange: (changes: Partial<NewOrderDraft>) => void;
}

export function NewOrderFields({ draft, errors, onChange: set }: NewOrderFieldsProps) {
  return (
    <>
      <div class="two-columns">
        <PetPicker
          label={words.pet}
          placeholder={words.petPlaceholder}
          petId={draft.petId}
          onChange={(petId) => set({ petId })}
          error={errors.petId}
        />
        <Stepper
          label={words.units}
          fewer={words.fewer}
          more={words.oneMore}
          value={draft.units}
          onInput={(units) => set({ units })}
          error={errors.units}
        />
        <TextField
          label={words.ships}
          type="datetime-local"
          isOptional
          hint={words.shipsHint}
          value={draft.ships}
          onInput={(ships) => set({ ships })}
        />
        {!draft.isComplete && (
          <TextField
            label={words.holds}
            type="datetime-local"
            isOptional
            hint={words.holdsHint}
            value={draft.holds}
            onInput={(holds) => set({ holds })}
            error={errors.holds}
          />
        )}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.isComplete}
          onChange={(event) => set({ isComplete: event.currentTarget.checked })}
        />
        <span>
          {words.complete}
          <span class="second hint">{words.completeHint}</span>
        </span>
      </label>
    </>
  );
}
