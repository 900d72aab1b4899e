import type { Form } from '../../parts/form/use-form.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { CategorySelect } from './category-select.tsx';
import { NAME_LENGTH_MAX } from './query.ts';

const REFERENCE_LENGTH_MAX = 100;

export interface PetDraft {
  name: string;
  categoryId: number | undefined;
  /** Its number in another system, such as its bar code. */
  reference: string;
}

type PetForm = Pick<Form<PetDraft, unknown>, 'draft' | 'errors' | 'set'>;

export const petErrors = ({ name, categoryId }: PetDraft) => ({
  name: name.trim() === '' ? words.needsName : undefined,
  categoryId: categoryId === undefined ? words.needsCategory : undefined,
});

/** What a new pet and a change of one have in common. */
export function PetFields({ form: { draft, errors, set } }: { form: PetForm }) {
  return (
    <>
      <TextField
        label={words.petName}
        value={draft.name}
        onInput={(name) => set({ name })}
        maxLength={NAME_LENGTH_MAX}
        error={errors.name}
        isFocused
      />
      <CategorySelect
        label={words.category}
        none={words.choose}
        value={String(draft.categoryId ?? '')}
        onChange={(categoryId) => set({ categoryId })}
        error={errors.categoryId}
      />
      <TextField
        label={words.reference}
        hint={words.referenceHint}
        isOptional
        value={draft.reference}
        onInput={(reference) => set({ reference })}
        maxLength={REFERENCE_LENGTH_MAX}
        error={errors.reference}
      />
    </>
  );
}
