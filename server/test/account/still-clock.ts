import type { TestApp } from '../support/app.ts';

/** A Sunday, nine in the morning: no window of a test ends by itself. */
export const NINE = Date.parse('2026-11-15T09:00:00Z');

/** Stops the clock of the app; from then on only `advance` moves it. */
export function stopClock({ clock }: TestApp, at = NINE): void {
  let instant = at;
  clock.now = () => instant;
  clock.advance = (milliseconds) => {
    instant += milliseconds;
  };
}
