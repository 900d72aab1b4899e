import type { ComponentType } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { may } from '../api/session.ts';
import { isOutdated } from '../load-more.ts';
import { address, BASE, pathOf } from '../router.ts';
import { findRoute, type Route, type ScreenProps } from '../routes.ts';
import { screenOf } from '../screen-of.ts';
import { LinkButton } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { controlWords as words } from '../words/controls.ts';
import { navigationWords } from '../words/shell/navigation.ts';
import { Boundary } from './boundary.tsx';
import { Outdated } from './outdated.tsx';

/** The screen that the address names. */
export function Outlet() {
  // Only the first screen can be open: the others are what is missing.
  if (isOutdated.value) return <Outdated />;
  const found = findRoute(pathOf(address.value));
  if (!found) {
    return (
      <Empty icon="search" title={words.notFoundTitle} isWholeScreen>
        <p class="muted">{words.notFound}</p>
        <LinkButton href={BASE}>{words.toOverview}</LinkButton>
      </Empty>
    );
  }
  const { route, id } = found;
  // Every screen reads.
  const missing = (['read', route.scope] as const).find((scope) => !may(scope));
  if (missing) {
    return (
      <>
        <PageHead title={navigationWords.titles[route.name]} />
        <Empty icon="lock" title={words.notAllowedTitle}>
          <p class="muted">{words.notAllowed(missing)}</p>
        </Empty>
      </>
    );
  }
  return (
    <Boundary key={`${route.name} ${id ?? ''}`}>
      <LoadedScreen key={route.name} route={route} id={id} />
    </Boundary>
  );
}

function LoadedScreen({ route, id }: { route: Route; id: string | undefined }) {
  const first = screenOf(route.name);
  const [screen, setScreen] = useState<{ Screen: ComponentType<ScreenProps> } | undefined>(
    first instanceof Promise ? undefined : { Screen: first },
  );
  // A screen that is loaded already is drawn before the next frame.
  useLayoutEffect(() => {
    if (first instanceof Promise) void first.then((Screen) => setScreen({ Screen }));
  }, []);
  if (screen) return <screen.Screen id={id} />;
  return <Skeleton rows={8} />;
}
