import type { Category, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { fieldErrors } from '../../api/errors.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { EditForm } from '../../parts/edit/edit-form.tsx';
import { useEdit } from '../../parts/edit/use-edit.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { categoryWords as words } from '../../words/catalogue.ts';
import { type CategoryDraft, CategoryFields } from './category-fields.tsx';

export interface CategoryDialogProps {
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
        {(category) => <CategoryForm opened={category} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

interface CategoryFormProps {
  opened: WithResponse<Category>;
  onClose: () => void;
}

function CategoryForm({ opened, onClose }: CategoryFormProps) {
  const { id } = opened.data;
  const edit = useEdit({
    opened,
    draftOf,
    bodyOf,
    textsOf: ({ name, description }) => ({ [words.name]: name, [words.description]: description }),
    read: () => store.categories.get(id).withResponse(),
    send: (body, options) => store.categories.update(id, body, options),
    onDone: ({ name }) => {
      say(words.saved(name));
      invalidate('listCategories');
      onClose();
    },
  });
  const { draft, setDraft, write, run } = edit;
  const isNameless = draft.name.trim() === '';
  const submit = () => {
    if (!isNameless) run();
  };
  const errors = { ...fieldErrors(write.error), ...(isNameless && { name: words.needsName }) };
  return (
    <EditForm
      edit={edit}
      path={`/categories/${id}`}
      onSubmit={submit}
      onClose={onClose}
      onLetGo={onClose}
    >
      <CategoryFields draft={draft} errors={errors} onChange={setDraft} />
    </EditForm>
  );
}

function draftOf({ name, description = '' }: Category): CategoryDraft {
  return { name, description };
}

/** An empty description is cleared. */
function bodyOf({ name, description }: CategoryDraft) {
  return { name: name.trim(), description: description.trim() || null };
}
