import type { ComponentType } from 'preact';
import { loadMore } from './load-more.ts';
import type { ScreenName, ScreenProps } from './routes.ts';
import { OverviewScreen } from './screens/overview/overview-screen.tsx';

type Screen = ComponentType<ScreenProps>;

/** The component of a screen: `orders` is `OrdersScreen`. All but that of the first screen are one file. */
export function screenOf(name: ScreenName): Screen | Promise<Screen> {
  if (name === 'overview') return OverviewScreen;
  const component = `${capitalised(name)}Screen` as const;
  return loadMore().then((more) => more[component]);
}

function capitalised<Name extends string>(name: Name): Capitalize<Name> {
  return `${name[0]!.toUpperCase()}${name.slice(1)}` as Capitalize<Name>;
}
