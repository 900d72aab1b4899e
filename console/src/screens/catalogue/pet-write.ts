import type { Pet } from '@petstore/client';
import { useRef } from 'preact/hooks';
import { ConnectionError, errorText } from '../../api/errors.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { say } from '../../ui/say.ts';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { notePet, type PetNote } from './pet-notes.ts';
import { showPet } from './query.ts';

/** Shows the new values in the row of the pet, from the moment on that they are sent. */
export function showSaving(pet: Pet): void {
  showPet(pet);
  notePet(pet.id, { kind: 'saving', text: words.saving });
}

/** What the row says of a change that was sent. A refusal puts the values of before back and says why. */
export function rowHandlers(before: () => Pet, doneText: (pet: Pet) => string) {
  const note = (text?: PetNote) => notePet(before().id, text);
  const settle = (pet: Pet, text?: PetNote) => {
    note(text);
    showPet(pet);
  };
  return {
    onKept: () => note({ kind: 'kept', text: words.kept }),
    onDone: (updated: Pet) => {
      settle(updated);
      say(doneText(updated));
    },
    onError: (err: unknown) => {
      const text = errorText(err);
      // Where no answer came, it may have been saved.
      const isUnknown = err instanceof ConnectionError;
      settle(before(), { kind: 'refused', text: isUnknown ? text : words.putBack(text) });
    },
    onDropped: () => settle(before()),
  };
}

type HoldStatus = 'available' | 'pending';

/** Holds a pet or lifts its hold. That overwrites nothing, so it needs no If-Match. */
export function useHold(pet: Pet): (status: HoldStatus) => void {
  const before = useRef(pet);
  const write = useWrite<HoldStatus, Pet>({
    ...rowHandlers(
      () => before.current,
      ({ name, status }) => (status === 'pending' ? words.held(name) : words.unheld(name)),
    ),
    operation: 'updatePet',
    send: (status, idempotencyKey) => {
      showSaving({ ...before.current, status });
      return store.pets.update(pet.id, { status }, { idempotencyKey });
    },
  });
  return (status) => {
    if (write.state !== 'idle') return;
    before.current = pet;
    showPet({ ...pet, status });
    write.run(status);
  };
}
