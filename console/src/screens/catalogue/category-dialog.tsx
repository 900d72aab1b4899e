import type { Category, CategoryPatch, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { fieldErrors, PreconditionError } from '../../api/errors.ts';
import { observed } from '../../api/limits.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { Conflict } from '../../parts/conflict.tsx';
import { FormFooter } from '../../parts/form-footer.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/toast.tsx';
import { categoryWords as words } from '../../words/catalogue.ts';
import { controlWords } from '../../words/controls.ts';
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
    read: (signal) => store.categories.get(categoryId, {}, { signal }).withResponse(),
  });
  return (
    <Dialog title={words.editTitle} subtitle={words.number(categoryId)} onClose={onClose}>
      <Loaded query={opened} rows={5}>
        {(category) => <CategoryForm opened={category} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

interface Change {
  patch: CategoryPatch;
  etag: string | undefined;
}

interface CategoryFormProps {
  opened: WithResponse<Category>;
  onClose: () => void;
}

function CategoryForm({ opened, onClose }: CategoryFormProps) {
  const [base] = useState(opened.data);
  const [etag, setEtag] = useState(opened.etag);
  const [draft, setDraft] = useState<CategoryDraft>(draftOf(base));
  const [theirs, setTheirs] = useState<WithResponse<Category> | undefined>(undefined);
  const write = useWrite<Change, Category>({
    send: (change, idempotencyKey) =>
      store.categories.update(base.id, change.patch, { idempotencyKey, ifMatch: change.etag }),
    onDone: ({ name }) => {
      say(words.saved(name));
      invalidate('listCategories');
      onClose();
    },
    onError: (err) => {
      if (!(err instanceof PreconditionError)) return;
      // If it cannot be read either, the refusal stays on the screen.
      void observed(() => store.categories.get(base.id).withResponse()).then(setTheirs, () => {});
    },
  });
  const patch = patchOf(base, draft);
  const isChanged = Object.keys(patch).length > 0;
  useUnsaved(isChanged && write.state !== 'sending');
  const submit = () => {
    if (isChanged && draft.name.trim() !== '') write.run({ patch, etag });
  };
  const applyAgain = (now: WithResponse<Category>) => {
    setEtag(now.etag);
    setTheirs(undefined);
    write.run({ patch, etag: now.etag });
  };
  const errors = {
    ...fieldErrors(write.error),
    ...(draft.name.trim() === '' && { name: words.needsName }),
  };
  return (
    <Form onSubmit={submit}>
      {theirs && (
        <Conflict
          fields={fieldsOf(draftOf(theirs.data), draft)}
          onApply={() => applyAgain(theirs)}
          onLetGo={onClose}
        />
      )}
      <CategoryFields draft={draft} errors={errors} onChange={setDraft} />
      <FormFooter
        write={write}
        curl={{ method: 'PATCH', path: `/categories/${base.id}`, body: patch }}
        action={controlWords.save}
        offReason={isChanged ? undefined : words.nothing}
        isConflict={theirs !== undefined}
        onClose={onClose}
      />
    </Form>
  );
}

function draftOf({ name, description = '' }: Category): CategoryDraft {
  return { name, description };
}

/** The fields that the user changed. An empty description is cleared. */
function patchOf(base: Category, draft: CategoryDraft): CategoryPatch {
  const name = draft.name.trim();
  const description = draft.description.trim();
  return {
    ...(name !== base.name && { name }),
    ...(description !== (base.description ?? '') && { description: description || null }),
  };
}

function fieldsOf(theirs: CategoryDraft, yours: CategoryDraft) {
  return [
    { name: words.name, theirs: theirs.name, yours: yours.name },
    { name: words.description, theirs: theirs.description, yours: yours.description },
  ];
}
