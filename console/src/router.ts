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

export function startRouter(): void {
  navigation.addEventListener('navigate', (event) => {
    // The page is loaded anew, with all its files; or the browser goes to a place of this screen.
    if (event.navigationType === 'reload' || event.hashChange) return;
    const url = new URL(event.destination.url);
    const isOurs = url.origin === location.origin && url.pathname.startsWith(BASE);
    if (!event.canIntercept || event.downloadRequest !== null || !isOurs) return;
    const { navigationType } = event;
    // A form may replace the address of its own screen. Going to another record or back may close the form.
    const isLeaving = url.pathname !== address.value.pathname || navigationType !== 'replace';
    // A step back right after one that was refused cannot be refused.
    if (!isLeaving || unsavedCount() === 0 || !event.cancelable) {
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
  addEventListener('beforeunload', (event) => {
    if (unsavedCount() > 0) event.preventDefault();
  });
}

function show(url: URL): void {
  const isNewScreen = url.pathname !== address.value.pathname;
  address.value = url;
  if (isNewScreen) scrollTo(0, 0);
}

export function navigate(href: string, options: { replace?: boolean } = {}): void {
  const { committed } = navigation.navigate(href, {
    history: options.replace ? 'replace' : 'push',
  });
  // Unsaved input can refuse it. The question is on the screen then.
  committed?.catch(() => {});
}

/** The address of this screen with other parameters; undefined and '' take one out. */
export function hrefWith(changes: Record<string, string | number | boolean | undefined>): string {
  const url = new URL(address.value);
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

export function queryValue(name: string): string | undefined {
  return address.value.searchParams.get(name) || undefined;
}

/** A whole number of 1 or more, such as an id; undefined if the address gives none. */
export function queryNumber(name: string): number | undefined {
  const value = Number(queryValue(name));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
