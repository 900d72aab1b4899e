import type { Pet, PetPatch } from '@petstore/client';
import { useRef } from 'preact/hooks';
import { errorText, PreconditionError } from '../../api/errors.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { say } from '../../ui/toast.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { stockChanged } from '../inventory/query.ts';
import { notePet } from './pet-notes.ts';
import { showPet } from './query.ts';

export interface PetChange {
  patch: Pick<PetPatch, 'name' | 'categoryId'> & { status?: 'available' | 'pending' };
  /** Absent for a hold: it overwrites nothing. */
  etag?: string | undefined;
}

/**
 * Changes a pet. The row shows the new values at once; a refusal puts them back and says why. `onConflict` is called when
 * another client changed the pet while its dialog was open.
 */
export function usePetWrite(pet: Pet, onConflict?: () => void): (change: PetChange) => void {
  const before = useRef(pet);
  const write = useWrite<PetChange, Pet>({
    send: ({ patch, etag }, idempotencyKey) => {
      notePet(pet.id, { kind: 'saving', text: words.saving });
      return store.pets.update(pet.id, patch, {
        idempotencyKey,
        ifMatch: etag,
      });
    },
    onKept: () => notePet(pet.id, { kind: 'kept', text: words.kept }),
    onDone: (updated, { patch }) => {
      notePet(pet.id, undefined);
      showPet(updated);
      say(doneText(updated, patch.status));
      stockChanged();
    },
    onError: (err) => {
      showPet(before.current);
      if (err instanceof PreconditionError) onConflict?.();
      notePet(pet.id, { kind: 'refused', text: words.putBack(errorText(err)) });
      stockChanged();
    },
    onDropped: () => {
      notePet(pet.id, undefined);
      showPet(before.current);
      stockChanged();
    },
  });
  return (change) => {
    if (write.state !== 'idle') return;
    before.current = pet;
    showPet({ ...pet, ...change.patch });
    write.run(change);
  };
}

function doneText({ name }: Pet, status: PetChange['patch']['status']): string {
  if (status === undefined) return words.saved(name);
  return status === 'pending' ? words.held(name) : words.unheld(name);
}
