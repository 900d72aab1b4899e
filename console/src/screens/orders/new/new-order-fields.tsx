import type { FieldErrors } from '../../../parts/form/use-form.ts';
import { TextField } from '../../../ui/fields/field.tsx';
import { newOrderWords as words } from '../../../words/orders.ts';
import type { NewOrderDraft } from './new-order-draft.ts';

export interface NewOrderFieldsProps {
  draft: NewOrderDraft;
  errors: FieldErrors<NewOrderDraft>;
  onChange: (changes: Partial<NewOrderDraft>) => void;
}

export function NewOrderFields({ draft, errors, onChange: set }: NewOrderFieldsProps) {
  return (
    <>
      <div class="two-columns">
        {(['customer', 'reference', 'note'] as const).map((name) => (
          <TextField
            key={name}
            label={words.texts[name]}
            isOptional
            value={draft[name]}
            onInput={(text) => set({ [name]: text })}
            maxLength={name === 'note' ? 500 : 100}
            error={errors[name]}
          />
        ))}
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
