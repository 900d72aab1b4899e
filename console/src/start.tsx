import { effect } from '@preact/signals';
import { render } from 'preact';
import { startLive } from './api/live.ts';
import { loadSession, session, startSession } from './api/session.ts';
import { lostError } from './api/write.ts';
import { type LoadMore, loadMoreAhead, provideMore } from './load-more.ts';
import { sayError } from './parts/say-error.ts';
import { startRouter } from './router.ts';
import { App } from './shell/app.tsx';
import { startLostFocus } from './shell/lost-focus.ts';
import { startShortcuts } from './shell/shortcuts.ts';
import { startTheme } from './shell/theme.ts';
import { startFormats } from './ui/format.ts';
import { unsavedCount } from './ui/unsaved.ts';

/** Starts the page. All but the first screen is what `load` brings. */
export function start(load: LoadMore): void {
  provideMore(load);
  startTheme();
  startRouter();
  startSession(() => unsavedCount() > 0);
  startShortcuts();
  startLostFocus();
  startLive();
  void loadSession();
  effect(() => {
    // The other screens are there before they are wanted.
    if (session.value) setTimeout(loadMoreAhead, 1_000);
  });
  lostError.subscribe((err) => {
    if (err !== undefined) sayError(err);
  });
  const root = document.getElementById('console')!;
  // What the page shows until its script is here.
  root.replaceChildren();
  render(<App />, root);
  startFormats();
}
