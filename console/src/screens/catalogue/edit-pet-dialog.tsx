import type { Pet, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { Conflict } from '../../parts/conflict.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Button } from '../../ui/button.tsx';
import { AsCurl } from '../../ui/curl.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { controlWords } from '../../words/controls.ts';
import { CategorySelect, useCategoryName } from './category-select.tsx';
import { NAME_LENGTH_MAX } from './query.ts';
import { usePetWrite } from './use-pet-write.ts';

export interface PetDraft {
  name: string;
  categoryId: number | undefined;
}

export interface EditPetDialogProps {
  petId: number;
  /** What was typed before, when another client came between. */
  refused?: PetDraft | undefined;
  onConflict: (refused: PetDraft) => void;
  onClose: () => void;
}

/** Renames a pet or moves it to another category. */
export function EditPetDialog(props: EditPetDialogProps) {
  const opened = useOpenedPet(props.petId);
  return (
    <Dialog title={words.editTitle} subtitle={words.pet(props.petId)} onClose={props.onClose}>
      <Loaded query={opened} rows={5}>
        {(pet) => <EditPetForm {...props} opened={pet} />}
      </Loaded>
    </Dialog>
  );
}

/**
 * The pet with its ETag. An empty patch changes nothing and returns both; the operation that reads one pet is
 * deprecated, and a list has no ETags.
 */
function useOpenedPet(petId: number) {
  const [openedAt] = useState(() => Date.now());
  return useQuery<WithResponse<Pet>>({
    key: ['updatePet', petId, openedAt],
    read: (signal) => store.pets.update(petId, {}, { signal }).withResponse(),
  });
}

function EditPetForm({
  opened,
  refused,
  onConflict,
  onClose,
}: EditPetDialogProps & { opened: WithResponse<Pet> }) {
  const [{ data: base, etag }] = useState(opened);
  const [draft, setDraft] = useState<PetDraft>(refused ?? base);
  const categoryName = useCategoryName();
  const name = draft.name.trim();
  const patch = {
    ...(name !== base.name && { name }),
    ...(draft.categoryId !== base.categoryId && { categoryId: draft.categoryId }),
  };
  const isChanged = Object.keys(patch).length > 0;
  useUnsaved(isChanged);
  const change = usePetWrite(base, () => onConflict(draft));
  const save = () => {
    if (!isChanged || name === '' || draft.categoryId === undefined) return;
    change({ patch, etag });
    onClose();
  };
  return (
    <Form onSubmit={save}>
      {refused && isChanged && (
        <Conflict
          fields={[
            { name: words.petName, theirs: base.name, yours: name },
            {
              name: words.category,
              theirs: categoryName(base.categoryId),
              yours: categoryName(draft.categoryId ?? 0),
            },
          ]}
          onApply={save}
          onLetGo={onClose}
        />
      )}
      <TextField
        label={words.petName}
        value={draft.name}
        onInput={(value) => setDraft({ ...draft, name: value })}
        maxLength={NAME_LENGTH_MAX}
        error={name === '' ? words.needsName : undefined}
        isFocused
      />
      <CategorySelect
        label={words.category}
        none={words.choose}
        value={String(draft.categoryId ?? '')}
        onChange={(categoryId) => setDraft({ ...draft, categoryId })}
        error={draft.categoryId === undefined ? words.needsCategory : undefined}
      />
      <AsCurl method="PATCH" path={`/pets/${base.id}`} body={patch} />
      <footer class="actions">
        <Button onClick={onClose}>{controlWords.cancel}</Button>
        <Button type="submit" look="primary" offReason={isChanged ? undefined : words.nothing}>
          {controlWords.save}
        </Button>
      </footer>
    </Form>
  );
}
