import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, newTab, signIn, stocked } from '../support/console.ts';
import { goTo } from '../support/go-to.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { 'Beagle puppy': 3, Budgerigar: 48 });
const beagle = pets['Beagle puppy']!;

test('sign in, find, adjust, order, cancel and sign out by keyboard alone', async () => {
  const { page, open } = await newTab(app);
  const { keyboard } = page;
  // The letter `g` waits a moment for the next one. With this the moment lasts as long as the test.
  await page.clock.setFixedTime(Date.now());
  await open('');
  await page.getByLabel('API key').waitFor();
  await expect.poll(() => focused(page)).toBe('API key');
  await keyboard.type(app.key);
  await keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Overview');

  await keyboard.press('g');
  await keyboard.press('i');
  await expect.poll(() => focused(page)).toBe('Inventory');
  await page.getByRole('link', { name: 'Beagle puppy' }).waitFor();
  await keyboard.press('/');
  await keyboard.type('bea');
  await page.getByRole('link', { name: 'Budgerigar' }).waitFor({ state: 'detached' });
  await tabTo(page, 'Beagle puppy');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'Beagle puppy' }).waitFor();
  await tabTo(page, 'Adjust');
  await keyboard.press('Enter');
  await page.locator('dialog[open]').waitFor();
  await tabTo(page, 'Change');
  await keyboard.press('Control+a');
  await keyboard.type('6');
  await keyboard.press('Enter');
  await page.getByText('Beagle puppy: 9 on hand.').waitFor();
  await expect.poll(() => focused(page)).toBe('Adjust');
  expect((await app.call('GET', `/v1/inventory/${beagle}`)).body.quantity).toBe(9);

  await keyboard.press('g');
  await keyboard.press('o');
  await expect.poll(() => focused(page)).toBe('Orders');
  await tabTo(page, 'Create order');
  await keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Pet' }).waitFor();
  await tabTo(page, 'Pet');
  await keyboard.type('beag');
  await page.getByRole('option', { name: /Beagle puppy/ }).waitFor();
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await tabTo(page, 'Create order');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  await page.getByRole('button', { name: 'Cancel order' }).waitFor();
  expect((await app.call('GET', `/v1/inventory/${beagle}`)).body.reserved).toBe(1);

  await tabTo(page, 'Cancel order');
  await keyboard.press('Enter');
  await page.locator('dialog[open]').waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('Cancel order');
  await keyboard.press('Enter');
  await page.locator('dialog[open]').waitFor();
  await tabTo(page, 'Cancel order');
  await keyboard.press('Enter');
  await page.getByText('This order is cancelled').waitFor();
  await expect.poll(() => focused(page)).toMatch(/^Order \d+$/);
  expect((await app.call('GET', `/v1/inventory/${beagle}`)).body.reserved).toBe(0);

  await tabTo(page, 'Account');
  await keyboard.press('Enter');
  await tabTo(page, 'Sign out');
  await keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('API key');
});

test('letters act on the screen, and are dead in fields, with modifiers and when they are off', async () => {
  const { page } = await signIn(app, { path: '/inventory' });
  const { keyboard } = page;
  await page.getByRole('link', { name: 'Budgerigar' }).waitFor();
  await keyboard.press('j');
  await expect.poll(() => focused(page)).toBe('Beagle puppy');
  await keyboard.press('j');
  await expect.poll(() => focused(page)).toBe('Budgerigar');
  await keyboard.press('k');
  await expect.poll(() => focused(page)).toBe('Beagle puppy');
  await keyboard.press('e');
  await page.getByRole('dialog').waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await keyboard.press('Alt+j');
  await keyboard.press('/');
  await keyboard.type('gi?je');
  await expect.poll(() => page.locator('[data-filter]').inputValue()).toBe('gi?je');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/console/inventory');
  await page.locator('[data-filter]').fill('');
  await page.getByRole('heading', { level: 1 }).focus();
  await keyboard.press('?');
  await page.getByRole('dialog').getByText('Ctrl').first().waitFor();
  await keyboard.press('Escape');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('checkbox', { name: /letter/i }).uncheck();
  await keyboard.press('Escape');
  await page.getByRole('heading', { level: 1 }).focus();
  await keyboard.press('?');
  await keyboard.press('j');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await expect.poll(() => focused(page)).toBe('Inventory');
});

test('the palette finds screens, pets and orders', async () => {
  const { page } = await signIn(app);
  const { keyboard } = page;
  await keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  await keyboard.type('budg');
  await page.getByRole('option', { name: /Budgerigar/ }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'Budgerigar' }).waitFor();
  await keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  await keyboard.type('led');
  await page.getByRole('option', { name: /Ledger/ }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  await keyboard.type('12');
  await page.getByRole('option', { name: /12/ }).waitFor();
  await page.getByRole('combobox', { name: 'Search' }).fill('budg');
  await page.getByRole('option', { name: /Budgerigar/ }).waitFor();
  await page.getByRole('combobox', { name: 'Search' }).fill('4812');
  const options = page.getByRole('dialog').getByRole('option');
  await expect.poll(() => options.allTextContents()).toEqual(['Order 4812Orders']);
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('what is typed into a search that is still being loaded leads nowhere', async () => {
  const { page } = await signIn(app);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/console/more-*.js', async (route) => {
    await promise;
    await route.continue();
  });
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const key of ['Control+k', 'g', 'u']) await page.keyboard.press(key);
  resolve();
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console');
});

test('the first link skips the navigation', async () => {
  const { page } = await signIn(app);
  const skip = page.locator('.skip');
  await skip.focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content');
  await page.keyboard.press('Tab');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('main')?.id))
    .toBe('content');
  await page.evaluate(() => history.back());
  await expect.poll(() => new URL(page.url()).hash).toBe('');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

test('on a phone, the focus follows a pet and goes back to its row', async () => {
  const name = 'Beagle puppy';
  const { page } = await signIn(app, { path: '/inventory', width: 390 });
  const link = page.locator('main').getByRole('link', { name }).first();
  await link.focus();
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { level: 2, name });
  await heading.waitFor();
  const hasFocus = (each: typeof link) =>
    each.evaluate((element) => element === document.activeElement);
  await expect.poll(() => hasFocus(heading)).toBe(true);
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Close');
  await page.keyboard.press('Enter');
  await heading.waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(link)).toBe(true);
});

test('leaving unsaved input asks once, and leaving without never asks', async () => {
  const { page } = await signIn(app);
  await goTo(page, `/orders/new?petId=${beagle}`);
  let asked = 0;
  page.on('dialog', (dialog) => {
    asked++;
    void dialog.accept();
  });
  const question = page.getByRole('dialog');
  const toLedger = page.getByRole('link', { name: 'Ledger', exact: true });
  await page.getByLabel('Units', { exact: true }).waitFor();
  await toLedger.click();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await page.goBack();
  await page.getByLabel('Units', { exact: true }).fill('2');
  await toLedger.click();
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
  await expect.poll(() => page.getByLabel('Units', { exact: true }).inputValue()).toBe('2');
  await page.evaluate(() => history.back());
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
  await toLedger.click();
  await question.getByRole('button', { name: /leave/i }).click();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await expect.poll(() => question.count()).toBe(0);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  expect(asked).toBe(0);
});

test('going back from a dialog with unsaved input asks', async () => {
  const { page } = await signIn(app);
  await goTo(page, '/inventory');
  await page.getByRole('link', { name: 'Beagle puppy' }).first().click();
  await page.getByRole('button', { name: 'Set count' }).click();
  await page.getByLabel('New count').fill('77');
  await page.evaluate(() => history.back());
  await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
  await expect.poll(() => page.getByLabel('New count').inputValue()).toBe('77');
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByLabel('New count').waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
});

test('the focus goes to the heading when what had it is gone', async () => {
  const { page, open } = await signIn(app, { path: '/catalogue/categories' });
  const { keyboard } = page;
  const press = async (name: string, role: 'button' | 'link' = 'button') => {
    await page.getByRole(role, { name, exact: true }).focus();
    await keyboard.press('Enter');
  };
  await app.call('POST', '/v1/categories', { body: { name: 'Fish' } });
  await press('Delete Fish');
  await press('Delete category');
  await page.getByRole('button', { name: 'Delete Fish' }).waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Categories');

  const { body: order } = await app.call('POST', '/v1/store/orders', { body: { petId: beagle } });
  await open('/orders');
  await press(`Fulfil order ${order.id}`);
  await press('Fulfil');
  await page.getByRole('row', { name: `Order ${order.id} ` }).waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Orders');

  const { body: next } = await app.call('POST', '/v1/store/orders', { body: { petId: beagle } });
  await open(`/orders/${next.id}`);
  await press('Fulfil');
  await page.getByRole('dialog').getByRole('button', { name: 'Fulfil', exact: true }).focus();
  await keyboard.press('Enter');
  await page.getByText('This order is fulfilled and can no longer be changed.').waitFor();
  await expect.poll(() => focused(page)).toBe(`Order ${next.id}`);

  await open('/inventory?name=zzz');
  await press('Clear filters', 'link');
  await page.getByRole('link', { name: 'Budgerigar' }).waitFor();
  await expect.poll(() => focused(page)).toBe('Inventory');
});

/** The name of what has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null;
    if (element === document.body) return '';
    const name =
      element?.getAttribute('aria-label') ??
      element?.labels?.[0]?.textContent ??
      element?.querySelector('.visually-hidden')?.textContent ??
      element?.textContent ??
      '';
    return name.trim();
  });
}

/** Presses Tab until something of this name has the focus, which shows on every stop. */
async function tabTo(page: Page, name: string): Promise<void> {
  const stops: string[] = [];
  while (stops.length < 150) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    stops.push(stop);
    await expect
      .poll(() => page.evaluate(isFocusVisible), { message: `the focus shows on ${stop}` })
      .toBe(true);
    if (stop === name) return;
  }
  throw new Error(`Tab does not lead to ${name}: ${stops.join(', ')}`);
}

function isFocusVisible(): boolean {
  const element = document.activeElement;
  if (!element || element === document.body) return true;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
}
