// What axe finds on a screen, in each way it can be seen.

import axe, { type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { overflow } from './layout.ts';

// No rule below needs the style sheets and media that axe would load again in each run. Of what it finds, only the
// elements of violations are described: describing all takes longer than some of the rules.
const COMMON: RunOptions = {
  resultTypes: ['violations'],
  preload: false,
  selectors: false,
  elementRef: true,
};
const ALL_RULES: RunOptions = {
  ...COMMON,
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** The rules about where things are and how large. */
const PLACES = ['target-size', 'scrollable-region-focusable'];
const only = (values: string[]): RunOptions => ({ ...COMMON, runOnly: { type: 'rule', values } });
const ALL_BUT_COLOURS: RunOptions = {
  ...ALL_RULES,
  rules: Object.fromEntries(COLOURS.map((name) => [name, { enabled: false }])),
};

interface View {
  name: string;
  width: number;
  colorScheme?: 'dark' | 'light';
  forcedColors?: 'active' | 'none';
  rules: RunOptions;
  /** Whether what surrounds the element concerns its rules, which are about landmarks, headings and ids. */
  isWhole?: boolean;
}

const DESKTOP = 1440;

/**
 * Each view has the rules whose outcome it can change: the theme and forced colours are CSS about colours, and what a phone
 * hides or shows depends on the width alone. The colours of a phone are those of a desktop.
 */
const views: readonly View[] = [
  { name: 'desktop', width: DESKTOP, rules: ALL_RULES, isWhole: true },
  { name: 'dark', width: DESKTOP, colorScheme: 'dark', rules: only(COLOURS) },
  {
    name: 'forced colours',
    width: DESKTOP,
    forcedColors: 'active',
    rules: only([...COLOURS, ...PLACES]),
  },
  {
    name: 'dark forced colours',
    width: DESKTOP,
    colorScheme: 'dark',
    forcedColors: 'active',
    rules: only(COLOURS),
  },
  { name: 'phone', width: 390, rules: only(PLACES) },
  { name: 'small phone', width: 320, rules: ALL_BUT_COLOURS },
];

export interface Seen {
  /** The element that is looked at. */
  within?: string;
  /** The part of it that is looked at where the rest does not matter. */
  part?: string;
  /** What else is found in a view. */
  look?: () => Promise<string[]>;
}

/** The violations within an element in every view, and a page that is wider than its window. Ends as it began. */
export async function faultsInEveryView(
  page: Page,
  { within = 'html', part = within, look }: Seen = {},
): Promise<string[]> {
  // Loaded once: screens change within the page.
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(`${axe.source}; axe.configure({ noHtml: true });`);
  }
  const found: string[] = [];
  for (const view of views) {
    const { name, width, colorScheme = 'light', forcedColors = 'none', rules, isWhole } = view;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, forcedColors });
    const tooWide = await overflow(page);
    const faults = [
      ...(tooWide > 0 ? [`too wide by ${tooWide}`] : []),
      ...(await violationsOf(page, isWhole ? within : part, { rules, isAlone: !isWhole })),
      ...((await look?.()) ?? []),
    ];
    found.push(...faults.map((fault) => `${name}: ${fault}`));
  }
  await page.setViewportSize({ width: DESKTOP, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  return found;
}

interface Run {
  rules: RunOptions;
  /** Whether the element is looked at by itself: axe reads the style of all that is in the page, which takes longest. */
  isAlone: boolean;
}

function violationsOf(page: Page, within: string, run: Run): Promise<string[]> {
  return page.evaluate(
    async ({ within, rules, isAlone }) => {
      const taken: [Element, Element, Element | null][] = [];
      let kept = isAlone ? document.querySelector(within)! : document.body;
      while (document.body.contains(kept) && kept !== document.body) {
        const parent = kept.parentElement!;
        for (const other of [...parent.children].filter((each) => each !== kept)) {
          taken.push([parent, other, other.nextElementSibling]);
          other.remove();
        }
        kept = parent;
      }
      const { run } = (window as unknown as { axe: typeof axe }).axe;
      const { violations } = await run(within, rules);
      for (const [parent, other, next] of taken.reverse()) parent.insertBefore(other, next);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ element }) => `${id}: ${element?.outerHTML.slice(0, 160)}`),
      );
    },
    { within, ...run },
  );
}
