import { useLayoutEffect } from 'preact/hooks';
import { holdUnsaved } from '../../ui/unsaved.ts';

/** Asks before the screen is left, or the dialog closed, while there is unsaved input, from the moment on that there is. */
export function useUnsaved(isUnsaved: boolean): void {
  useLayoutEffect(() => (isUnsaved ? holdUnsaved() : undefined), [isUnsaved]);
}
