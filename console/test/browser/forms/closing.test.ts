// Closing a dialog loses neither what was typed nor what became of a write.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets, categoryId } = await stocked(app, { Beagle: 3 });

const beside = { x: 4, y: 4 };

/** Holds back writes until the function that is returned is called. */
async function holdWrites(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/**', async (route) => {
    if (route.request().method() !== 'GET') await promise;
    await route.continue();
  });
  return resolve;
}

test('a dialog with unsaved input asks before Escape, a press beside it and its cross close it', async () => {
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'New pet' }).click();
  const form = page.getByRole('dialog', { name: 'New pet' });
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  const name = form.getByLabel('Name');
  await name.fill('Half a name');
  const ways = [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(beside.x, beside.y),
    () => form.getByRole('button', { name: 'Close' }).click(),
  ];
  for (const close of ways) {
    await close();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => name.inputValue()).toBe('Half a name');
  }
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Leave' }).click();
  await form.waitFor({ state: 'detached' });
  // Without input there is nothing to ask.
  await page.getByRole('button', { name: 'New pet' }).click();
  await form.waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await expect.poll(() => question.count()).toBe(0);
});

test('the second press of a double click neither closes the dialog that the first opened nor presses its buttons', async () => {
  const { page } = await signIn(app, { path: '/catalogue' });
  const second = async (x: number, y: number) => {
    await page.getByRole('button', { name: 'New pet' }).click();
    await form.waitFor();
    await page.mouse.move(x, y);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  };
  const form = page.getByRole('dialog', { name: 'New pet' });
  const cancel = form.getByRole('button', { name: 'Cancel' });
  await second(beside.x, beside.y);
  const { x, y } = (await cancel.boundingBox())!;
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await second(x + 8, y + 8);
  // From then on it is pressed as ever, also twice.
  const sold = form.getByRole('radio', { name: 'Sold out' });
  await sold.dblclick();
  await expect.poll(() => sold.isChecked()).toBe(true);
  await cancel.click();
  await form.waitFor({ state: 'detached' });
});

test('a file picker that is left closes no dialog', async () => {
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'Import CSV' }).click();
  const dialog = page.getByRole('dialog');
  // What the browser sends when its picker is left.
  await dialog.getByLabel('CSV file', { exact: true }).dispatchEvent('cancel', { bubbles: true });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('a search is closed without a question, also over unsaved input', async () => {
  const { page } = await signIn(app, { path: `/orders/new?petId=${pets.Beagle}` });
  await page.getByLabel('Units', { exact: true }).fill('2');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('Control+k');
  const search = page.getByRole('dialog');
  await search.getByRole('combobox').fill('x');
  await page.mouse.click(beside.x, beside.y);
  await search.waitFor({ state: 'detached' });
});

test('a search that leads away from unsaved input asks first', async () => {
  const { page } = await signIn(app, { path: `/orders/new?petId=${pets.Beagle}` });
  await page.getByLabel('Units', { exact: true }).fill('2');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('ledger');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
});

test('while it sends, only the answer closes a dialog, and a refusal is said in it', async () => {
  const { page } = await signIn(app, { path: '/catalogue/categories', statuses: [409] });
  const { body } = await app.call('GET', `/v1/categories/${categoryId}`);
  const release = await holdWrites(page);
  await page.getByRole('button', { name: 'New category' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill(body.name);
  await form.getByRole('button', { name: 'Create category' }).click();
  await form.getByRole('button', { name: 'Saving …' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(beside.x, beside.y);
  await form.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => form.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
  release();
  await form.getByText('Another category already has this name').waitFor();
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe(body.name);
  await page.unrouteAll({ behavior: 'wait' });
});

test('while a category is deleted, only the answer closes its dialog', async () => {
  const { body } = await app.call('POST', '/v1/categories', { body: { name: 'Newts' } });
  const { page } = await signIn(app, { path: '/catalogue/categories?name=newts' });
  const release = await holdWrites(page);
  await page.getByRole('button', { name: 'Delete Newts' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Delete category' }).click();
  await form.getByRole('button', { name: 'Saving …' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => form.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
  release();
  await form.waitFor({ state: 'detached' });
  expect((await app.call('GET', `/v1/categories/${body.id}`)).status).toBe(404);
  await page.unrouteAll({ behavior: 'wait' });
});

test('a refusal of a form that was left is said on the next screen', async () => {
  const { page } = await signIn(app, { path: '/catalogue', statuses: [409] });
  await page.getByRole('link', { name: 'Categories' }).click();
  const { body } = await app.call('GET', `/v1/categories/${categoryId}`);
  const release = await holdWrites(page);
  await page.getByRole('button', { name: 'New category' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill(body.name);
  await form.getByRole('button', { name: 'Create category' }).click();
  await form.getByRole('button', { name: 'Saving …' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
  await form.waitFor({ state: 'detached' });
  release();
  await page.getByText('Another category already has this name').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

test('a search that leads to another pet asks before the input of an open dialog is lost', async () => {
  const { pets: others } = await stocked(app, { Whippet: 2 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Beagle}` });
  await page.getByRole('button', { name: 'Set count' }).click();
  const form = page.getByRole('dialog', { name: 'Set count' });
  await form.getByLabel('New count').fill('7');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('whippet');
  await page.getByRole('option', { name: 'Whippet' }).click();
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'detached' });
  await expect.poll(() => form.getByLabel('New count').inputValue()).toBe('7');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('whippet');
  await page.getByRole('option', { name: 'Whippet' }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await form.waitFor({ state: 'detached' });
  await expect.poll(() => page.url()).toContain(`pet=${others.Whippet}`);
});

test('an adjustment that was left by a search is closed', async () => {
  await stocked(app, { Saluki: 2 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Beagle}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Adjust stock' });
  await form.getByLabel('Change').fill('7');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('saluki');
  await page.getByRole('option', { name: 'Saluki' }).click();
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await form.waitFor({ state: 'detached' });
});

const waysToSignOut: Record<string, (page: Page) => Promise<void>> = {
  menu: async (page) => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
  },
  palette: async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('sign out');
    await page.getByRole('option', { name: 'Sign out' }).click();
  },
};

test.each(Object.entries(waysToSignOut))(
  'signing out in the %s asks before unsaved input is lost',
  async (_, signOut) => {
    const { page } = await signIn(app, { path: `/orders/new?petId=${pets.Beagle}` });
    await page.getByLabel('Units', { exact: true }).fill('2');
    await signOut(page);
    await page.getByRole('button', { name: 'Stay', exact: true }).click();
    await expect.poll(() => page.getByLabel('Units', { exact: true }).inputValue()).toBe('2');
    await signOut(page);
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByLabel('API key').waitFor();
  },
);

test('an order that is being placed cannot be cancelled, and is announced where the user went', async () => {
  const { page } = await signIn(app, { path: `/orders/new?petId=${pets.Beagle}` });
  await page.getByText('3 → 2').waitFor();
  await page.getByLabel('Units', { exact: true }).fill('2');
  const release = await holdWrites(page);
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByRole('button', { name: 'Saving …' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
  await page.getByRole('link', { name: 'Ledger' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  release();
  await page.getByText(/^Order \d+ created/).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});
