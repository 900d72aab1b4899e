import type { Category, NewCategory, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useEdit } from '../../parts/form/use-edit.ts';
import { type Form, useForm } from '../../parts/form/use-form.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { categoryWords as words } from '../../words/catalogue.ts';
import { NAME_LENGTH_MAX } from './query.ts';

/** What the fields of a category hold. */
interface CategoryDraft {
  name: string;
  description: string;
}

const DESCRIPTION_LENGTH_MAX = 2_000;

export function NewCategoryDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({
    operation: 'createCategory',
    first: { name: '', description: '' },
    errorsOf,
    bodyOf: ({ name, description }): NewCategory => ({
      name: name.trim(),
      ...(description.trim() !== '' && { description: description.trim() }),
    }),
    send: (category, idempotencyKey) => store.categories.create(category, { idempotencyKey }),
    onDone: ({ name }) => say(words.created(name)),
    goOn: onClose,
  });
  return (
    <Dialog title={words.new} onClose={onClose}>
      <FormView form={form} path="/categories" action={words.create} onClose={onClose}>
        <CategoryFields form={form} />
      </FormView>
    </Dialog>
  );
}

interface CategoryDialogProps {
  categoryId: number;
  onClose: () => void;
}

/** Renames or describes a category. */
export function CategoryDialog({ categoryId, onClose }: CategoryDialogProps) {
  // A dialog that is opened again reads again: it must have the ETag of now.
  const [openedAt] = useState(() => Date.now());
  const opened = useQuery<WithResponse<Category>>({
    key: ['getCategory', categoryId, openedAt],
    read: (signal) => store.categories.get(categoryId, { signal }).withResponse(),
  });
  return (
    <Dialog title={words.editTitle} subtitle={words.number(categoryId)} onClose={onClose}>
      <Loaded query={opened} rows={5}>
        {(category) => <EditCategoryForm opened={category} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

interface EditCategoryFormProps {
  opened: WithResponse<Category>;
  onClose: () => void;
}

function EditCategoryForm({ opened, onClose }: EditCategoryFormProps) {
  const { id } = opened.data;
  const edit = useEdit({
    operation: 'updateCategory',
    opened,
    draftOf: ({ name, description = '' }: Category): CategoryDraft => ({ name, description }),
    errorsOf,
    // An empty description is cleared.
    bodyOf: ({ name, description }) => ({
      name: name.trim(),
      description: description.trim() || null,
    }),
    textsOf: ({ name, description }) => ({ [words.name]: name, [words.description]: description }),
    read: () => store.categories.get(id).withResponse(),
    send: (body, options) => store.categories.update(id, body, options),
    onDone: ({ name }) => say(words.saved(name)),
    goOn: onClose,
  });
  return (
    <FormView form={edit} method="PATCH" path={`/categories/${id}`} onClose={onClose}>
      <CategoryFields form={edit} />
    </FormView>
  );
}

function errorsOf({ name }: CategoryDraft) {
  return { name: name.trim() === '' ? words.needsName : undefined };
}

type CategoryForm = Pick<Form<CategoryDraft, unknown>, 'draft' | 'errors' | 'set'>;

function CategoryFields({ form: { draft, errors, set } }: { form: CategoryForm }) {
  return (
    <>
      <TextField
        label={words.name}
        placeholder={words.namePlaceholder}
        value={draft.name}
        onInput={(name) => set({ name })}
        maxLength={NAME_LENGTH_MAX}
        error={errors.name}
        isFocused
      />
      <TextField
        label={words.description}
        isOptional
        value={draft.description}
        onInput={(description) => set({ description })}
        maxLength={DESCRIPTION_LENGTH_MAX}
        error={errors.description}
      />
    </>
  );
}
