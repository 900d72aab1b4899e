// The time zone in which charts count days. The service counts days of UTC.

import { signal } from '@preact/signals';

const NAME = 'chart-zone';
export const UTC = 'UTC';

/** The zone of this browser. */
export const browserZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function remembered(): string {
  try {
    const name = localStorage.getItem(NAME) ?? UTC;
    return isZone(name) ? name : UTC;
  } catch {
    // A browser that blocks storage forgets the choice; all else works.
    return UTC;
  }
}

/** This browser remembers it. */
export const chartZone = signal(remembered());

export function setChartZone(name: string): void {
  chartZone.value = name;
  try {
    localStorage.setItem(NAME, name);
  } catch {}
}

/** The day of an instant in a zone: 2026-11-15. */
export function dayIn(zone: string, at: string | number): string {
  // Swedish dates are written as ISO 8601 has them.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(new Date(at));
}
