// The address is state: which screen, which filters, which page, which open record.

import { signal } from '@preact/signals';
import { leaveQuestion, leaveScreen, unsavedCount } from './ui/unsaved.ts';

export const BASE = '/console';

/** The address as the screens read it. */
export const address = signal(new URL(location.href));

/** Below /console, without a slash at its end: '' is the overview. */
export function pathOf(url: URL): string {
  return url.pathname.slice(BASE.length).replace(/\/+$/, '');
}

/** The ways of the browser to go from place to place. */
interface Ways {
  start: () => void;
  go: (href: string, isReplacing: boolean) => void;
}

const isOurs = (url: URL) => url.origin === location.origin && url.pathname.startsWith(BASE);

/** The Navigation API: it hears of every step before it is done, and can refuse it. */
const byNavigation: Ways = {
  start: () => {
    navigation.addEventListener('navigate', (event) => {
      // The page is loaded anew, with all its files; or the browser goes to a place of this screen.
      if (event.navigationType === 'reload' || event.hashChange) return;
      const url = new URL(event.destination.url);
      if (!event.canIntercept || event.downloadRequest !== null || !isOurs(url)) return;
      const { navigationType } = event;
      // A step back right after one that was refused cannot be refused.
      if (!isLeaving(url, navigationType === 'replace') || !event.cancelable) {
        leaveQuestion.value = undefined;
        event.intercept({ handler: async () => show(url), focusReset: 'manual', scroll: 'manual' });
        return;
      }
      event.preventDefault();
      const { key } = event.destination;
      leaveScreen(() => {
        if (navigationType === 'traverse') navigation.traverseTo(key);
        else navigate(url.href);
      });
    });
  },
  go: (href, isReplacing) => {
    const { committed } = navigation.navigate(href, { history: isReplacing ? 'replace' : 'push' });
    // Unsaved input can refuse it. The question is on the screen then.
    committed?.catch(() => {});
  },
};

/** The number of the entry in the history, for the way by the history alone. */
let index = 0;
const indexOf = (state: unknown) => (state as { index?: number } | null)?.index ?? 0;

/**
 * The history alone, for browsers without the Navigation API: Firefox before 147, Safari before 26.2. A step back is done
 * already when the page hears of it, so one that unsaved input refuses is taken back.
 */
const byHistory: Ways = {
  start: () => {
    index = indexOf(history.state);
    let isTakingBack = false;
    addEventListener('popstate', ({ state }) => {
      const url = new URL(location.href);
      const steps = indexOf(state) - index;
      const wasTakenBack = isTakingBack;
      isTakingBack = false;
      if (wasTakenBack) return;
      if (!isLeaving(url, false)) {
        index = indexOf(state);
        leaveQuestion.value = undefined;
        show(url);
        return;
      }
      isTakingBack = true;
      history.go(-steps || 1);
      leaveScreen(() => history.go(steps || -1));
    });
    addEventListener('click', (event) => {
      const link = (event.target as Element).closest?.('a[href]') as HTMLAnchorElement | null;
      const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey);
      if (!link || !isPlain || event.defaultPrevented || link.target || link.download) return;
      const url = new URL(link.href);
      if (!isOurs(url) || url.hash !== '') return;
      event.preventDefault();
      navigate(url.href);
    });
  },
  go: (href, isReplacing) => {
    const url = new URL(href, location.href);
    const step = () => {
      if (!isReplacing) index += 1;
      history[isReplacing ? 'replaceState' : 'pushState']({ index }, '', url);
      leaveQuestion.value = undefined;
      show(url);
    };
    if (isLeaving(url, isReplacing)) leaveScreen(step);
    else step();
  },
};

/** Whether the step would leave unsaved input. A form may replace the address of its own screen. */
function isLeaving(url: URL, isReplacing: boolean): boolean {
  return unsavedCount() > 0 && !(isReplacing && url.pathname === address.value.pathname);
}

const ways = globalThis.navigation ? byNavigation : byHistory;

export function startRouter(): void {
  ways.start();
  addEventListener('beforeunload', (event) => {
    // What is being sent would end with the page, without a word on whether it was saved.
    const isSending = document.querySelector('[data-sending]');
    if (unsavedCount() > 0 || isSending) event.preventDefault();
  });
}

function show(url: URL): void {
  const isNewScreen = url.pathname !== address.value.pathname;
  address.value = url;
  if (isNewScreen) scrollTo(0, 0);
}

export function navigate(href: string, options: { replace?: boolean } = {}): void {
  ways.go(href, options.replace === true);
}

/** The address of this screen with other parameters; undefined and '' take one out. */
export function hrefWith(changes: Record<string, string | number | boolean | undefined>): string {
  const url = new URL(address.value);
  // Another page, or other filters, are another search.
  if ('cursor' in changes) url.searchParams.delete('searched');
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, String(value));
  }
  return `${url.pathname}${url.search}`;
}

/** Filters that are typed replace the entry in the history; what is chosen adds one. */
export function setQuery(
  changes: Parameters<typeof hrefWith>[0],
  options: { replace?: boolean } = {},
): void {
  const href = hrefWith(changes);
  if (href !== `${address.value.pathname}${address.value.search}`) navigate(href, options);
}

/** Sets one filter of a list, which begins at its first page again. */
export const setFilter = (name: string) => (value: string | number | undefined) =>
  setQuery({ [name]: value, cursor: undefined });

export function queryValue(name: string): string | undefined {
  return address.value.searchParams.get(name) || undefined;
}

/** A whole number of 1 or more, such as an id; undefined if the address gives none. */
export function queryNumber(name: string): number | undefined {
  const value = Number(queryValue(name));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
