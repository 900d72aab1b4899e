import type { Pet } from '@petstore/client';
import { PreconditionError } from '../../api/errors.ts';
import { store } from '../../api/store.ts';
import { isSame } from '../../parts/form/changes.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useEdit } from '../../parts/form/use-edit.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { controlWords } from '../../words/controls.ts';
import { useCategoryName } from './category-select.tsx';
import { type PetDraft, PetFields, petErrors } from './pet-fields.tsx';
import { rowHandlers, showSaving } from './pet-write.ts';

interface EditPetDialogProps {
  /** As the list shows it. */
  pet: Pet;
  onClose: () => void;
}

/** Renames a pet, moves it to another category or changes its reference. */
export function EditPetDialog({ pet, onClose }: EditPetDialogProps) {
  return (
    <Dialog title={words.editTitle} subtitle={words.pet(pet.id)} onClose={onClose}>
      <EditPetForm pet={pet} onClose={onClose} />
    </Dialog>
  );
}

/** The pet with its ETag. A list has no ETags, and the operation that reads one pet is deprecated. */
const readPet = (petId: number) => store.pets.update(petId, {}, { dryRun: true }).withResponse();

const draftOf = ({ name, categoryId, reference = '' }: Pet): PetDraft => ({
  name,
  categoryId,
  reference,
});

function EditPetForm({ pet, onClose }: EditPetDialogProps) {
  const { id } = pet;
  const categoryName = useCategoryName();
  const row = rowHandlers(
    (): Pet => base,
    ({ name }) => words.saved(name),
  );
  const edit = useEdit({
    ...row,
    operation: 'updatePet',
    opened: { data: pet, etag: undefined },
    draftOf,
    errorsOf: petErrors,
    bodyOf: ({ name, categoryId = 0, reference }) => ({
      name: name.trim(),
      categoryId,
      reference: reference.trim() || null,
    }),
    textsOf: ({ name, categoryId = 0, reference }) => ({
      [words.petName]: name,
      [words.category]: categoryName(categoryId),
      [words.reference]: reference.trim() || controlWords.none,
    }),
    read: () => readPet(id),
    send: async (patch, options) => {
      const { reference = base.reference, ...fields } = patch;
      showSaving({ ...base, ...fields, reference: reference ?? undefined } as Pet);
      const { ifMatch = await etagOf(base), ...rest } = options;
      return store.pets.update(id, patch, { ...rest, ifMatch });
    },
    goOn: onClose,
  });
  const { base } = edit;
  return (
    <FormView form={edit} method="PATCH" path={`/pets/${id}`} onClose={onClose}>
      <PetFields form={edit} />
    </FormView>
  );
}

/** The ETag of the pet that the list has shown; it throws if someone has changed its fields since. */
async function etagOf(shown: Pet): Promise<string | undefined> {
  const { data, etag } = await readPet(shown.id);
  if (isSame(draftOf(data), draftOf(shown))) return etag;
  throw new PreconditionError({ code: 'precondition_failed', message: '', status: 412 });
}
