import { signal } from '@preact/signals';

/** What became of a change, said beside the row of its pet. */
export interface PetNote {
  kind: 'saving' | 'kept' | 'refused';
  text: string;
}

export const petNotes = signal<Readonly<Record<number, PetNote>>>({});

export function notePet(petId: number, note: PetNote | undefined): void {
  const { [petId]: _, ...rest } = petNotes.value;
  petNotes.value = note ? { ...rest, [petId]: note } : rest;
}
