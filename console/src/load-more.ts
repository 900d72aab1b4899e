import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { ScreenName, ScreenProps } from './routes.ts';
import { OverviewScreen } from './screens/overview/overview-screen.tsx';

type More = typeof import('./more.ts');
type Screen = ComponentType<ScreenProps>;

/** Whether a file of this page's build could not be loaded: another build may have taken its place. */
export const isOutdated = signal(false);

/** The component of a screen: `orders` is `OrdersScreen`. All but that of the first screen are one file. */
export function screenOf(name: ScreenName): Screen | Promise<Screen> {
  if (name === 'overview') return OverviewScreen;
  const component = `${capitalised(name)}Screen` as const;
  return loadMore().then((more) => more[component]);
}

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

function capitalised<Name extends string>(name: Name): Capitalize<Name> {
  return `${name[0]!.toUpperCase()}${name.slice(1)}` as Capitalize<Name>;
}
