import type { Category, NewCategory } from '@petstore/client';
import { useState } from 'preact/hooks';
import { fieldErrors } from '../../api/errors.ts';
import { invalidate } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { FormFooter } from '../../parts/form-footer.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/toast.tsx';
import { categoryWords as words } from '../../words/catalogue.ts';
import { type CategoryDraft, CategoryFields } from './category-fields.tsx';

export function NewCategoryDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState<CategoryDraft>({ name: '', description: '' });
  const [isChecked, setChecked] = useState(false);
  const write = useWrite<NewCategory, Category>({
    send: (category, idempotencyKey) => store.categories.create(category, { idempotencyKey }),
    onDone: ({ name }) => {
      say(words.created(name));
      invalidate('listCategories');
      onClose();
    },
  });
  useUnsaved((draft.name !== '' || draft.description !== '') && write.state !== 'sending');
  const description = draft.description.trim();
  const body: NewCategory = {
    name: draft.name.trim(),
    ...(description !== '' && { description }),
  };
  const isEmpty = body.name === '';
  const submit = () => {
    setChecked(true);
    if (!isEmpty) write.run(body);
  };
  const errors = {
    ...fieldErrors(write.error),
    ...(isChecked && isEmpty && { name: words.needsName }),
  };
  return (
    <Dialog title={words.newTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        <CategoryFields draft={draft} errors={errors} onChange={setDraft} />
        <FormFooter
          write={write}
          curl={{ method: 'POST', path: '/categories', body }}
          action={words.create}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
