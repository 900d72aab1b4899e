import type { Pet, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { EditForm } from '../../parts/edit/edit-form.tsx';
import { useEdit } from '../../parts/edit/use-edit.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { CategorySelect, useCategoryName } from './category-select.tsx';
import { rowHandlers, showSaving } from './pet-write.ts';
import { NAME_LENGTH_MAX } from './query.ts';

interface PetDraft {
  name: string;
  categoryId: number | undefined;
}

export interface EditPetDialogProps {
  petId: number;
  onClose: () => void;
}

/** Renames a pet or moves it to another category. */
export function EditPetDialog({ petId, onClose }: EditPetDialogProps) {
  const opened = useOpenedPet(petId);
  return (
    <Dialog title={words.editTitle} subtitle={words.pet(petId)} onClose={onClose}>
      <Loaded query={opened} rows={5}>
        {(pet) => <EditPetForm opened={pet} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

const readPet = (petId: number, signal?: AbortSignal) =>
  store.pets.update(petId, {}, { signal }).withResponse();

/**
 * The pet with its ETag. An empty patch changes nothing and returns both; the operation that reads one pet is
 * deprecated, and a list has no ETags.
 */
function useOpenedPet(petId: number) {
  const [openedAt] = useState(() => Date.now());
  return useQuery<WithResponse<Pet>>({
    key: ['updatePet', petId, openedAt],
    read: (signal) => readPet(petId, signal),
  });
}

interface EditPetFormProps {
  opened: WithResponse<Pet>;
  onClose: () => void;
}

function EditPetForm({ opened, onClose }: EditPetFormProps) {
  const { id } = opened.data;
  const categoryName = useCategoryName();
  const row = rowHandlers(
    () => base,
    ({ name }) => words.saved(name),
  );
  const edit = useEdit({
    ...row,
    opened,
    draftOf: ({ name, categoryId }: Pet): PetDraft => ({ name, categoryId }),
    bodyOf: ({ name, categoryId = 0 }) => ({ name: name.trim(), categoryId }),
    textsOf: ({ name, categoryId = 0 }) => ({
      [words.petName]: name,
      [words.category]: categoryName(categoryId),
    }),
    read: () => readPet(id),
    send: (body, options) => {
      showSaving({ ...base, ...body });
      return store.pets.update(id, body, options);
    },
    onDone: (pet) => {
      row.onDone(pet);
      onClose();
    },
  });
  const { base, draft, setDraft, run } = edit;
  const isNameless = draft.name.trim() === '';
  const submit = () => {
    if (!isNameless && draft.categoryId !== undefined) run();
  };
  return (
    <EditForm
      edit={edit}
      path={`/pets/${id}`}
      onSubmit={submit}
      onClose={onClose}
      onLetGo={onClose}
    >
      <TextField
        label={words.petName}
        value={draft.name}
        onInput={(name) => setDraft({ ...draft, name })}
        maxLength={NAME_LENGTH_MAX}
        error={isNameless ? words.needsName : undefined}
        isFocused
      />
      <CategorySelect
        label={words.category}
        none={words.choose}
        value={String(draft.categoryId ?? '')}
        onChange={(categoryId) => setDraft({ ...draft, categoryId })}
        error={draft.categoryId === undefined ? words.needsCategory : undefined}
      />
    </EditForm>
  );
}
