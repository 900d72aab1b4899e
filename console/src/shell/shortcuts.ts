// Single letters act on the screen. They are dead in fields, with modifiers, and when they are switched off.

import { signal } from '@preact/signals';
import { hasExpired, isLocked, may } from '../api/session.ts';
import { BASE, navigate } from '../router.ts';
import { routes } from '../routes.ts';

export const isPaletteOpen = signal(false);
export const isHelpOpen = signal(false);
export const areLettersOn = signal(true);

/** How long `g` waits for the letter behind it. */
const SEQUENCE_MS = 1_500;
let goesUntil = 0;

export function startShortcuts(): void {
  addEventListener('keydown', (event) => {
    // A search would lie over the cover, and show names.
    if (isLocked.value || hasExpired.value) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !areLettersOn.value) return;
    // A search that is still being loaded is no dialog yet.
    if (isTyping(event.target) || isPaletteOpen.value || document.querySelector('dialog[open]'))
      return;
    if (act(event.key)) event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable]') !== null
  );
}

function act(key: string): boolean {
  if (Date.now() < goesUntil) {
    goesUntil = 0;
    const route = routes.find(({ letter, scope }) => letter === key && may(scope));
    if (route) navigate(`${BASE}${route.path}`);
    return route !== undefined;
  }
  switch (key) {
    case 'g':
      goesUntil = Date.now() + SEQUENCE_MS;
      return true;
    case '?':
      isHelpOpen.value = true;
      return true;
    case '/':
      return focusOn(document.querySelector('[data-filter]'));
    case 'j':
      return moveBy(1);
    case 'k':
      return moveBy(-1);
    case 'e':
      return press(document.activeElement?.closest('tr, li')?.querySelector('[data-edit]'));
    default:
      return false;
  }
}

function moveBy(step: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const current = document.activeElement?.closest('tr, li')?.querySelector('[data-row]');
  const index = rows.indexOf(current as HTMLElement);
  const next = index < 0 ? rows[0] : rows[index + step];
  return focusOn(next ?? null);
}

function focusOn(element: Element | null | undefined): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus();
  return true;
}

function press(element: Element | null | undefined): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.click();
  return true;
}
