import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { ScreenName, ScreenProps } from './routes.ts';

type LaterScreen = `${Capitalize<Exclude<ScreenName, 'overview'>>}Screen`;

/** All that the first screen does not need: what more.ts exports. */
type More = Record<LaterScreen, ComponentType<ScreenProps>> &
  Record<'HelpDialog' | 'Palette' | 'SampleDialog', ComponentType>;

export type LoadMore = () => Promise<More>;

let load: LoadMore;

/** Says where the rest comes from. What waits for it does not import it, so that no import leads round in a circle. */
export function provideMore(source: LoadMore): void {
  load = source;
}

/** Whether a file of this page's build could not be loaded: another build may have taken its place. */
export const isOutdated = signal(false);

/** Loads all that the first screen does not need. It never rejects; it waits if the page must be loaded anew. */
export function loadMore(): Promise<More> {
  return load().catch(() => {
    isOutdated.value = true;
    return new Promise<More>(() => {});
  });
}

/** Loads the files before they are wanted. A failure matters only when they are. */
export function loadMoreAhead(): void {
  load().catch(() => {});
}
