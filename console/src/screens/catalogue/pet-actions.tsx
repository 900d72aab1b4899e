import type { Pet } from '@petstore/client';
import { scopeReason } from '../../api/session.ts';
import { IconAction } from '../../ui/button.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { petNotes } from './pet-notes.ts';
import { useHold } from './pet-write.ts';

/** What the screen of the catalogue is asked to open. */
export type PetStep = { kind: 'new' | 'import' } | { kind: 'edit' | 'delete'; pet: Pet };

interface PetActionsProps {
  pet: Pet;
  /** Whether its units are all reserved: it is pending without a hold. */
  isReserved: boolean;
  onStep: (step: PetStep) => void;
}

/** Hold, edit and delete. The dialogs are the screen's: the row may leave the list while one is open. */
export function PetActions({ pet, isReserved, onStep }: PetActionsProps) {
  const hold = useHold(pet);
  const isHeld = pet.status === 'pending' && !isReserved;
  const cannotHold = isReserved
    ? words.allReserved
    : pet.status === 'sold'
      ? words.cannotHold
      : undefined;
  const note = petNotes.value[pet.id];
  const offReason =
    scopeReason('write') ?? (note && note.kind !== 'refused' ? words.busy : undefined);
  return (
    <span class="row-actions">
      <IconAction
        icon={isHeld ? 'play' : 'hand'}
        label={isHeld ? words.unholdOf(pet.name) : words.holdOf(pet.name)}
        offReason={offReason ?? cannotHold}
        onClick={() => hold(isHeld ? 'available' : 'pending')}
      />
      <IconAction
        icon="pencil"
        isEdit
        label={words.editOf(pet.name)}
        offReason={offReason}
        onClick={() => onStep({ kind: 'edit', pet })}
      />
      <IconAction
        icon="trash-2"
        label={words.deleteOf(pet.name)}
        offReason={scopeReason('write')}
        onClick={() => onStep({ kind: 'delete', pet })}
      />
    </span>
  );
}
