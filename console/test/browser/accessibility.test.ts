import axe, { type RunOptions } from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { consoleApp, newTab, signIn } from '../support/console.ts';
import { goTo, settle } from '../support/go-to.ts';
import { overflow } from '../support/layout.ts';
import { oneOfEach, screensOf } from '../support/screens.ts';

const app = await consoleApp();
/** As long as a name can be, and one word. */
const LONG = 'Donaudampfschifffahrt'.repeat(10).slice(0, 200);
const records = await oneOfEach(app, [LONG]);
const { petId, orderId, webhookId, keyName } = records;

const DESKTOP = 1440;

/** Where each dialog is opened, and by which buttons. */
const dialogs: readonly (readonly [path: string, buttons: readonly string[]])[] = [
  [`/inventory?pet=${petId}`, ['Adjust', 'Set count', 'Adjust stock']],
  ['/ledger', ['Export CSV']],
  [`/orders/${orderId}`, ['Fulfil', 'Edit', 'Cancel order']],
  ['/catalogue', ['New pet', 'Import CSV', `Edit ${LONG}`, `Delete ${LONG}`]],
  ['/catalogue/categories', ['New category', `Edit ${LONG}`, `Delete ${LONG}`]],
  ['/keys', ['Create key', `Rotate ${keyName}`, `Revoke ${keyName}`]],
  ['/webhooks', ['Add webhook']],
  [`/webhooks/${webhookId}`, ['Edit', 'Replay', 'Rotate secret', 'Delete']],
  ['/plan', ['Change to Pro']],
  ['/settings', ['Close workspace']],
  ['/workspaces', ['Create workspace']],
  ['/workspaces/1', ['Suspend', 'Close']],
];

describe.each([
  [DESKTOP, 'none'],
  [DESKTOP, 'active'],
  [390, 'none'],
  [320, 'none'],
] as const)('at a width of %i, forced colours %s', (width, forcedColors) => {
  const context: BrowserContextOptions = {
    reducedMotion: 'reduce',
    forcedColors,
    viewport: { width, height: 900 },
  };

  test('4.6, 4.14 no screen with a name of 200 letters has a violation or is too wide', async () => {
    const { page } = await signIn(app, { context });
    for (const [name, path] of Object.entries(screensOf(records))) {
      await goTo(page, path);
      expect(await violations(page), name).toEqual([]);
      expect(await overflow(page), name).toBeLessThanOrEqual(0);
    }
  });

  test('4.6, 4.14 no dialog with a name of 200 letters has a violation or is too wide', async () => {
    const { page } = await signIn(app, { context });
    for (const [path, buttons] of dialogs) {
      await goTo(page, path);
      for (const name of buttons) {
        // A phone hides the buttons of the list behind the record, and shows those of an order on its own screen.
        const button = page.locator('main').getByRole('button', { name, exact: true }).first();
        if (width < DESKTOP && !(await button.isVisible())) continue;
        await button.click();
        await page.locator('dialog[open]').waitFor();
        await settle(page);
        expect(await violations(page, 'dialog[open]'), `${name} on ${path}`).toEqual([]);
        expect(await dialogFaults(page), `${name} on ${path}`).toEqual([]);
        await page.keyboard.press('Escape');
        await page.locator('dialog[open]').waitFor({ state: 'detached' });
      }
    }
    await page.keyboard.press('Control+k');
    await page.locator('dialog[open]').getByRole('combobox').waitFor();
    expect(await violations(page, 'dialog[open]'), 'the palette').toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    expect(await violations(page, 'dialog[open]'), 'the shortcuts').toEqual([]);
  });

  test('signing in has no violation', async () => {
    const tab = await newTab(app, { context });
    await tab.open('');
    await tab.page.getByLabel('API key').waitFor();
    expect(await violations(tab.page)).toEqual([]);
  });
});

/** What a dialog shows that is wider than itself, and a focus that is nowhere or on its cross. */
function dialogFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dialog = document.querySelector('dialog[open]')!;
    const focused = document.activeElement!;
    return [
      ...(dialog.scrollWidth > dialog.clientWidth ? ['scrolls sideways'] : []),
      ...(dialog.querySelector('.dialog-body')!.clientHeight < 100 ? ['is empty'] : []),
      ...(!dialog.contains(focused) ? ['has no focus'] : []),
      ...(focused.getAttribute('aria-label') === 'Close' ? ['has the focus on Close'] : []),
    ];
  });
}

const COMMON: RunOptions = { resultTypes: ['violations'] };
const ALL_RULES: RunOptions = {
  ...COMMON,
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
const COLOURS = ['color-contrast', 'link-in-text-block'];
const RULES_OF_COLOURS: RunOptions = { ...COMMON, runOnly: { type: 'rule', values: COLOURS } };
const ALL_BUT_COLOURS: RunOptions = {
  ...ALL_RULES,
  rules: Object.fromEntries(COLOURS.map((name) => [name, { enabled: false }])),
};

/**
 * All rules in light; in dark, where only colours differ, the rules about colours. A phone has the colours of a desktop, so
 * those are left out there: they take half of the time.
 */
async function violations(page: Page, within = 'html'): Promise<string[]> {
  // Loaded once: screens change within the page.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  if (page.viewportSize()!.width < DESKTOP) return violationsOf(page, within, ALL_BUT_COLOURS);
  const light = await violationsOf(page, within, ALL_RULES);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violationsOf(page, within, RULES_OF_COLOURS);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark];
}

function violationsOf(page: Page, within: string, options: RunOptions): Promise<string[]> {
  return page.evaluate(
    async (given) => {
      const found = await (window as unknown as { axe: typeof axe }).axe.run(
        given.within,
        given.options,
      );
      return found.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
      );
    },
    { within, options },
  );
}
