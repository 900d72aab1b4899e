import { useEffect } from 'preact/hooks';
import { holdUnsaved } from '../router.ts';

/** Asks before the screen is left while there is unsaved input. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => (isUnsaved ? holdUnsaved() : undefined), [isUnsaved]);
}
