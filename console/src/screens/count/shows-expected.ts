import { signal } from '@preact/signals';

const NAME = 'count-shows-expected';

function remembered(): boolean {
  try {
    return localStorage.getItem(NAME) === '1';
  } catch {
    return false;
  }
}

/** Whether what is expected is shown before a count is typed. This browser remembers it. */
export const showsExpected = signal(remembered());

export function setShowsExpected(isShown: boolean): void {
  showsExpected.value = isShown;
  try {
    localStorage.setItem(NAME, isShown ? '1' : '0');
  } catch {}
}
