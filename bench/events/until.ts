import { setTimeout as pause } from 'node:timers/promises';

/** What has not arrived after a minute in which nothing arrived is lost, even on a slow machine. */
const STALLED_MS = 60_000;

/** Waits until all have arrived. Throws if no further one arrives. */
export async function until(all: number, arrived: () => number, stalledMs = STALLED_MS) {
  let last = { count: arrived(), at: performance.now() };
  while (last.count < all) {
    if (performance.now() - last.at > stalledMs) {
      throw new Error(`${last.count} of ${all} events arrived, and no further one`);
    }
    await pause(10);
    if (arrived() > last.count) last = { count: arrived(), at: performance.now() };
  }
}
