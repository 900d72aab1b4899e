import { useLayoutEffect } from 'preact/hooks';
import { holdUnsaved } from '../router.ts';

/** Asks before the screen is left while there is unsaved input, from the moment on that there is. */
export function useUnsaved(isUnsaved: boolean): void {
  useLayoutEffect(() => (isUnsaved ? holdUnsaved() : undefined), [isUnsaved]);
}
