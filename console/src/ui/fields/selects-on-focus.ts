import type { TargetedFocusEvent, TargetedMouseEvent } from 'preact';

/**
 * For fields with a number: what they hold is selected when they get the focus, so that typing replaces it. A press would
 * place the caret after the focus, so the first one only gives the focus.
 */
export const selectsOnFocus = {
  onFocus: ({ currentTarget }: TargetedFocusEvent<HTMLInputElement>) => currentTarget.select(),
  onMouseDown: (event: TargetedMouseEvent<HTMLInputElement>) => {
    if (document.activeElement === event.currentTarget) return;
    event.preventDefault();
    event.currentTarget.focus();
  },
};
