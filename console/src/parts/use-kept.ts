import { useEffect } from 'preact/hooks';
import type { Write } from '../api/write.ts';
import { useUnsaved } from './use-unsaved.ts';

/** While the write of a form is kept, leaving the form asks, and other content takes it back: it is not what would be sent. */
export function useKept({ state, takeBack }: Write<never>, content: unknown): void {
  useUnsaved(state === 'kept');
  useEffect(() => takeBack, [JSON.stringify(content)]);
}
