import type { Pet } from '@petstore/client';
import { useState } from 'preact/hooks';
import { IconAction } from '../../ui/icon-action.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { DeletePetDialog } from './delete-pet-dialog.tsx';
import { EditPetDialog, type PetDraft } from './edit-pet-dialog.tsx';
import { usePetWrite } from './use-pet-write.ts';

interface Editing {
  /** What the user typed before another client came between. */
  refused?: PetDraft;
}

/** Hold, edit and delete, with their dialogs. */
export function PetActions({ pet }: { pet: Pet }) {
  const [editing, setEditing] = useState<Editing | undefined>(undefined);
  const [isDeleting, setDeleting] = useState(false);
  const [sent, setSent] = useState<PetDraft | undefined>(undefined);
  const { state, change } = usePetWrite({
    pet,
    onConflict: () => setEditing(sent && { refused: sent }),
  });
  const isHeld = pet.status === 'pending';
  const busy = state === 'idle' ? undefined : words.busy;
  return (
    <span class="row-actions">
      <IconAction
        icon={isHeld ? 'play' : 'hand'}
        label={isHeld ? words.unholdOf(pet.name) : words.holdOf(pet.name)}
        offReason={pet.status === 'sold' ? words.cannotHold : busy}
        onClick={() => change({ patch: { status: isHeld ? 'available' : 'pending' } })}
      />
      <IconAction
        icon="pencil"
        isEdit
        label={words.editOf(pet.name)}
        offReason={busy}
        onClick={() => setEditing({})}
      />
      <IconAction
        icon="trash-2"
        label={words.deleteOf(pet.name)}
        onClick={() => setDeleting(true)}
      />
      {editing && (
        <EditPetDialog
          pet={pet}
          refused={editing.refused}
          onClose={() => setEditing(undefined)}
          onSave={(draft, petChange) => {
            setSent(draft);
            setEditing(undefined);
            change(petChange);
          }}
        />
      )}
      {isDeleting && <DeletePetDialog pet={pet} onClose={() => setDeleting(false)} />}
    </span>
  );
}
