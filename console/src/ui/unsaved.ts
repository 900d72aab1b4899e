// Input that is not saved yet. Before it is left, by a link or by closing its dialog, the user is asked.

import { signal } from '@preact/signals';

interface LeaveQuestion {
  /** Goes on with what the user wanted to do. */
  leave: () => void;
}

/** Set while the user is asked whether to leave unsaved input. */
export const leaveQuestion = signal<LeaveQuestion | undefined>(undefined);

/** One token for each form with unsaved input, in the order in which they were filled. */
const unsaved = new Set<symbol>();

/** Asks before the input is left, until the function that is returned is called. */
export function holdUnsaved(): () => void {
  const token = Symbol('unsaved');
  unsaved.add(token);
  return () => unsaved.delete(token);
}

/** How many forms have unsaved input. A dialog that opens over them leaves theirs alone. */
export const unsavedCount = () => unsaved.size;

/** Whether a secret is on the screen that is shown only once. The question for a key waits until it is stored. */
export const isSecretShown = signal(false);

export function askToLeave(leave: () => void): void {
  leaveQuestion.value = {
    leave: () => {
      leaveQuestion.value = undefined;
      leave();
    },
  };
}

/**
 * Leaves the screen, or asks first if it has unsaved input, or if leaving loses something else. If leaving fails, the
 * input is still unsaved.
 */
export function leaveScreen(leave: () => unknown, losesMore = false): void {
  const leaveAll = () => {
    const held = [...unsaved];
    unsaved.clear();
    Promise.resolve(leave()).catch(() => {
      for (const token of held) unsaved.add(token);
    });
  };
  if (unsaved.size === 0 && !losesMore) leaveAll();
  else askToLeave(leaveAll);
}
