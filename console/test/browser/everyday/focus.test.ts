// Where the focus goes, and what covers the screen.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';
import { goTo } from '../../support/go-to.ts';

const app = await consoleApp();
const names = Array.from({ length: 24 }, (_, index) => `Shrew ${index + 10}`);
await stocked(app, Object.fromEntries(names.map((name) => [name, 5])));

const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement!;
    return element.getAttribute('aria-label') ?? element.textContent ?? '';
  });

test('4.13 Enter on a row goes to the record, Escape closes it and goes back to the row', async () => {
  const { page } = await signIn(app, { path: '/inventory' });
  await page.getByRole('link', { name: 'Shrew 11' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Shrew 11');
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('h2');
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Shrew 11' }).waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('a');
  // From the list, too.
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Shrew 11' }).waitFor();
  await page.getByRole('link', { name: 'Shrew 12' }).focus();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Shrew 11' }).waitFor({ state: 'detached' });
});

test('4.13 the next page is read from its top', async () => {
  const { page } = await signIn(app, { path: '/inventory' });
  await page.setViewportSize({ width: 1440, height: 500 });
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByRole('link', { name: 'Shrew 33' }).waitFor();
  const top = () =>
    page
      .getByRole('region', { name: 'Stock' })
      .evaluate((list) => list.getBoundingClientRect().top);
  await expect.poll(top).toBeGreaterThanOrEqual(0);
  await expect.poll(() => focused(page)).toBe('Stock');
});

test('4.13 the palette shows what is selected, and opens only what fits the text', async () => {
  const { page } = await signIn(app, { path: '/keys' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('shrew');
  await page.getByRole('option', { name: 'Shrew 17' }).waitFor();
  for (let step = 0; step < 7; step++) await page.keyboard.press('ArrowDown');
  const selected = page.getByRole('option', { selected: true });
  await expect.poll(() => selected.textContent()).toContain('Shrew 17');
  await expect.poll(() => selected.evaluate(isInList)).toBe(true);
  // Before the pets of the new text are there.
  await page.keyboard.type('x');
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual([]);
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).pathname).toBe('/console/keys');
});

function isInList(option: Element): boolean {
  const [own, list] = [option, option.parentElement!].map((each) => each.getBoundingClientRect());
  return own!.top >= list!.top - 1 && own!.bottom <= list!.bottom + 1;
}

test('4.19 the idle cover shows nothing of what is behind it', async () => {
  const { page } = await signIn(app, { path: '/inventory', time: Date.now() });
  await page.getByRole('link', { name: 'Shrew 11' }).waitFor();
  await page.clock.fastForward(31 * 60_000);
  const cover = page.getByRole('dialog', { name: 'Screen locked' });
  await cover.waitFor();
  const background = await cover.evaluate(
    (dialog) => getComputedStyle(dialog, '::backdrop').backgroundColor,
  );
  expect(background).toMatch(/^rgb\(/);
  await page.keyboard.press('Enter');
  await cover.waitFor({ state: 'detached' });
});

test('4.14 with forced colours, what is selected has another background than the rest', async () => {
  const { page } = await signIn(app, { context: { forcedColors: 'active' } });
  await goTo(page, '/inventory?pet=1');
  const background = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  for (const [chosen, other] of [
    ['.choice input:checked + span', '.choice input:not(:checked) + span'],
    ['tr.selected td', 'tbody tr:not(.selected) td'],
    ['.sidebar a[aria-current]', '.sidebar .nav-group a:not([aria-current])'],
  ] as const) {
    expect(await background(chosen), chosen).not.toBe(await background(other));
  }
  // A meter, and what the colours of a chart mean: the browser keeps only what has this property.
  await goTo(page, '');
  const coloured = await page.evaluate(() => {
    const legend = [...document.querySelectorAll('.legend span')].slice(0, 2);
    const bar = document.querySelector('progress')!;
    return [...legend.map((each) => getComputedStyle(each, '::before')), getComputedStyle(bar)].map(
      ({ forcedColorAdjust, backgroundColor }) => [forcedColorAdjust, backgroundColor],
    );
  });
  expect(coloured.map(([adjust]) => adjust)).toEqual(['none', 'none', 'none']);
  expect(coloured[0]).not.toEqual(coloured[1]);
});

test('5.2 a press anywhere in a row opens it; 5.3 the tab and the menu say where and who one is', async () => {
  const { page } = await signIn(app, { path: '/inventory' });
  const row = page.getByRole('row', { name: /Shrew 12/ });
  await row.locator('td').nth(2).click();
  await page.getByRole('complementary', { name: 'Shrew 12' }).waitFor();
  const { body: workspace } = await app.call('GET', '/v1/workspace');
  await expect.poll(() => page.title()).toBe(`Inventory · ${workspace.name}`);
  await page.locator('.account').click();
  const menu = page.locator('#account-menu');
  await menu.getByText(/console$/).waitFor();
  for (const text of ['Signed in as', 'manage', /^Session ends/]) {
    await menu.getByText(text).waitFor();
  }
});

test('5.4, 5.5 at 320 px a row shows without scrolling, and paper has neither navigation nor buttons', async () => {
  const { page } = await signIn(app, { context: { viewport: { width: 320, height: 568 } } });
  for (const path of ['/inventory', '/orders?show=all', '/catalogue', '/ledger']) {
    await goTo(page, path);
    const row = page.locator('tbody tr, .empty').first();
    expect((await row.boundingBox())!.y, path).toBeLessThan(568 - 60);
  }
  expect(
    await page.getByRole('button', { name: 'Filters' }).evaluate((each) => each.tabIndex),
  ).toBe(0);
  await goTo(page, '/inventory');
  const size = await page
    .locator('.input')
    .first()
    .evaluate((each) => getComputedStyle(each).fontSize);
  expect(size).toBe('16px');
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('button:visible, .button:visible, nav:visible').count()).toBe(0);
  await expect.poll(() => page.locator('tbody tr:visible').count()).toBeGreaterThan(0);
});
