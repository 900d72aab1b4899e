import { signal } from '@preact/signals';

type More = typeof import('./more.ts');

/** Whether a file of this page's build could not be loaded: another build may have taken its place. */
export const isOutdated = signal(false);

/** Loads all that the first screen does not need. It never rejects; it waits if the page must be loaded anew. */
export function loadMore(): Promise<More> {
  return import('./more.ts').catch(() => {
    isOutdated.value = true;
    return new Promise<More>(() => {});
  });
}

/** Loads the files before they are wanted. A failure matters only when they are. */
export function loadMoreAhead(): void {
  import('./more.ts').catch(() => {});
}
