// What moves on a screen while it loads, as the browser counts it.

import type { BrowserContext, Page } from 'playwright-core';
import { settle } from './go-to.ts';

/** Answers arrive one after another, so every state between them is painted. */
const LATENCY_MS = 80;
/** A digit that is added to a right-aligned number moves its own text by a few pixels. */
const DIGIT = 0.0001;

interface Shift extends PerformanceEntry {
  value: number;
  sources: { node: Node | null }[];
}

interface Shifted {
  shifted: number;
  shifts: string[];
}

/** Slows the network down and begins to count, from the next page on. */
export async function countShifts(page: Page, context: BrowserContext): Promise<void> {
  await page.addInitScript(() => {
    const all: Shifted = { shifted: 0, shifts: [] };
    Object.assign(window, { all });
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[]) {
        all.shifted += value;
        for (const { node } of sources) all.shifts.push(`${node?.textContent?.slice(0, 60)}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
}

/** The texts that moved until the screen was complete. */
export async function shiftsOf(page: Page): Promise<string[]> {
  await settle(page);
  const { shifted, shifts } = await page.evaluate(async () => {
    // The last change is counted with the frame that paints it.
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
    return (window as unknown as { all: Shifted }).all;
  });
  return shifted > DIGIT ? shifts : [];
}
