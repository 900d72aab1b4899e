import type { NewPet, Pet } from '@petstore/client';
import { useState } from 'preact/hooks';
import { fieldErrors } from '../../api/errors.ts';
import { useQuery } from '../../api/query.ts';
import { categoriesQuery } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { FormFooter } from '../../parts/form-footer.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { BASE } from '../../router.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/toast.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { stockChanged } from '../inventory/query.ts';
import { CategorySelect } from './category-select.tsx';
import { NAME_LENGTH_MAX } from './query.ts';

export interface NewPetDialogProps {
  /** The category that the list shows, if it shows one. */
  categoryId: number | undefined;
  onClose: () => void;
}

export function NewPetDialog({ categoryId, onClose }: NewPetDialogProps) {
  const { data } = useQuery(categoriesQuery);
  return (
    <Dialog title={words.newTitle} onClose={onClose}>
      {data?.items.length === 0 ? (
        <>
          <p>{words.noCategories}</p>
          <footer class="actions">
            <LinkButton href={`${BASE}/catalogue/categories`} look="primary">
              {words.toCategories}
            </LinkButton>
          </footer>
        </>
      ) : (
        <NewPetForm categoryId={categoryId} onClose={onClose} />
      )}
    </Dialog>
  );
}

type Start = keyof typeof words.starts;

function NewPetForm({ categoryId: first, onClose }: NewPetDialogProps) {
  const [name, setName] = useState('');
  const [categoryId, setCategory] = useState(first);
  const [status, setStatus] = useState<Start>('available');
  const [isChecked, setChecked] = useState(false);
  const write = useWrite<NewPet, Pet>({
    send: (pet, idempotencyKey) => store.pets.create(pet, { idempotencyKey }),
    onDone: (pet) => {
      say(words.created(pet.name));
      stockChanged();
      onClose();
    },
  });
  useUnsaved(name !== '' && write.state !== 'sending');
  const refused = fieldErrors(write.error);
  const body: NewPet = {
    name: name.trim(),
    categoryId: categoryId ?? 0,
    ...(status !== 'available' && { status }),
  };
  const submit = () => {
    setChecked(true);
    if (body.name !== '' && categoryId !== undefined) write.run(body);
  };
  return (
    <Form onSubmit={submit}>
      <TextField
        label={words.petName}
        value={name}
        onInput={setName}
        maxLength={NAME_LENGTH_MAX}
        error={isChecked && body.name === '' ? words.needsName : refused.name}
        isFocused
      />
      <CategorySelect
        label={words.category}
        none={words.choose}
        value={String(categoryId ?? '')}
        onChange={setCategory}
        error={isChecked && categoryId === undefined ? words.needsCategory : refused.categoryId}
      />
      <div class="stack tight">
        <Choice
          label={words.startsAs}
          value={status}
          options={Object.entries(words.starts)}
          onChange={(value) => setStatus(value as Start)}
        />
        <p class="hint">{words.startNotes[status]}</p>
      </div>
      <FormFooter
        write={write}
        curl={{ method: 'POST', path: '/pets', body }}
        action={words.create}
        onClose={onClose}
      />
    </Form>
  );
}
