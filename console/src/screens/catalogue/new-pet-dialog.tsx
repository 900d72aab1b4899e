import type { NewPet } from '@petstore/client';
import { useQuery } from '../../api/query.ts';
import { categoriesQuery } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useForm } from '../../parts/form/use-form.ts';
import { BASE } from '../../router.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { type PetDraft, PetFields, petErrors } from './pet-fields.tsx';

interface NewPetDialogProps {
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

interface NewPetDraft extends PetDraft {
  status: Start;
}

function NewPetForm({ categoryId, onClose }: NewPetDialogProps) {
  const first: NewPetDraft = { name: '', categoryId, status: 'available', reference: '' };
  const form = useForm({
    operation: 'createPet',
    first,
    errorsOf: petErrors,
    bodyOf: (draft): NewPet => ({
      name: draft.name.trim(),
      categoryId: draft.categoryId ?? 0,
      ...(draft.status !== 'available' && { status: draft.status }),
      ...(draft.reference.trim() !== '' && { reference: draft.reference.trim() }),
    }),
    send: (pet, idempotencyKey) => store.pets.create(pet, { idempotencyKey }),
    onDone: (pet) => say(words.created(pet.name)),
    goOn: onClose,
  });
  const { draft, set } = form;
  return (
    <FormView form={form} path="/pets" action={words.create} onClose={onClose}>
      <PetFields form={form} />
      <div class="stack tight">
        <Choice
          label={words.startsAs}
          value={draft.status}
          options={Object.entries(words.starts)}
          onChange={(value) => set({ status: value as Start })}
        />
        <p class="hint">{words.startNotes[draft.status]}</p>
      </div>
    </FormView>
  );
}
