import { TextField } from '../../ui/fields/field.tsx';
import { categoryWords as words } from '../../words/catalogue.ts';
import { NAME_LENGTH_MAX } from './query.ts';

/** What the fields of a category hold. */
export interface CategoryDraft {
  name: string;
  description: string;
}

export interface CategoryFieldsProps {
  draft: CategoryDraft;
  errors: Partial<Record<keyof CategoryDraft, string | undefined>>;
  onChange: (draft: CategoryDraft) => void;
}

const DESCRIPTION_LENGTH_MAX = 2_000;

export function CategoryFields({ draft, errors, onChange }: CategoryFieldsProps) {
  return (
    <>
      <TextField
        label={words.name}
        placeholder={words.namePlaceholder}
        value={draft.name}
        onInput={(name) => onChange({ ...draft, name })}
        maxLength={NAME_LENGTH_MAX}
        error={errors.name}
        isFocused
      />
      <TextField
        label={words.description}
        isOptional
        value={draft.description}
        onInput={(description) => onChange({ ...draft, description })}
        maxLength={DESCRIPTION_LENGTH_MAX}
        error={errors.description}
      />
    </>
  );
}
