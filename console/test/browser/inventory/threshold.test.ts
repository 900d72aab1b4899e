// What is low, by the threshold of each pet, and references.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
await app.call('PATCH', '/v1/workspace', { body: { lowStockAt: 2 } });
const { pets } = await stocked(app, { Ibis: 9, Kiwi: 1, Moa: 4, Wren: 60 });
await app.call('PATCH', `/v1/pets/${pets.Wren}`, { body: { lowStockAt: 3 } });

const lowAt = async (name: string) =>
  (await app.call('GET', `/v1/pets?id=${pets[name]}`)).body[0].lowStockAt;

test('by keyboard: the threshold of a pet is edited in the list, and decides what is low', async () => {
  const { page, requests } = await signIn(app, { path: '/inventory?low=1' });
  await page.getByRole('link', { name: 'Kiwi' }).waitFor();
  expect(await page.getByRole('link', { name: /Ibis|Moa/ }).count()).toBe(0);
  await page.getByRole('radio', { name: 'Low' }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  const field = page.getByLabel('Low-stock threshold of Ibis');
  await expect.poll(() => field.getAttribute('placeholder')).toBe('2');
  await field.focus();
  await page.keyboard.type('12');
  await page.keyboard.press('Escape');
  await expect.poll(() => field.inputValue()).toBe('');
  await page.keyboard.type('many');
  await page.keyboard.press('Enter');
  await page.getByText('Enter a whole number up to 1,000,000, or nothing.').waitFor();
  expect(requests.filter((each) => each.startsWith('PATCH'))).toEqual([]);
  await field.fill('9');
  await page.keyboard.press('Enter');
  await page.getByText('Ibis: low at 9.').waitFor();
  expect(await lowAt('Ibis')).toBe(9);
  await page.getByRole('radio', { name: 'Low' }).check();
  await page.getByRole('link', { name: 'Ibis' }).waitFor();
  await page.getByRole('link', { name: 'Kiwi' }).waitFor();
});

test('by touch: the threshold is edited beside a pet, and emptied for that of the store', async () => {
  await app.call('PATCH', `/v1/pets/${pets.Moa}`, { body: { lowStockAt: 50 } });
  const { page } = await signIn(app, {
    path: `/inventory?pet=${pets.Moa}`,
    width: 390,
    context: { hasTouch: true, isMobile: true },
  });
  const field = page.getByRole('textbox', { name: 'Low-stock threshold of Moa' });
  await field.tap();
  await field.fill('');
  await page.getByRole('heading', { level: 2, name: 'Moa' }).tap();
  await page.getByText('Moa: the store’s threshold.').waitFor();
  expect(await lowAt('Moa')).toBe(undefined);
});

test('4.3 a number typed into a threshold that was pressed replaces it', async () => {
  const { page } = await signIn(app, { path: '/inventory' });
  const field = page.getByLabel('Low-stock threshold of Wren');
  await field.click();
  await page.keyboard.type('5');
  expect(await field.inputValue()).toBe('5');
  // A second press places the caret.
  await field.click();
  await page.keyboard.press('End');
  await page.keyboard.type('0');
  await page.getByRole('heading', { level: 1 }).click();
  await page.getByText('Wren: low at 50.').waitFor();
  expect(await lowAt('Wren')).toBe(50);
});

test('a threshold that is typed while another is being saved is saved after it', async () => {
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Kiwi}` });
  const field = page.getByRole('complementary').getByLabel('Low-stock threshold of Kiwi');
  const first = Promise.withResolvers<void>();
  await page.route(`**/v1/pets/${pets.Kiwi}`, async (route) => {
    if (route.request().postData()?.includes('5')) await first.promise;
    await route.continue();
  });
  for (const threshold of ['5', '6']) {
    await field.fill(threshold);
    await field.press('Enter');
  }
  first.resolve();
  await page.getByText('Kiwi: low at 6.').waitFor();
  expect(await lowAt('Kiwi')).toBe(6);
  await expect.poll(() => field.inputValue()).toBe('6');
});

test('the threshold of a pet decides also in a store that has none; its other pets are low at 2', async () => {
  const key = await app.addWorkspace();
  const own = await stocked(app, { Emu: 9, Heron: 2, Lynx: 2, Stoat: 3 }, key);
  for (const [name, lowStockAt] of Object.entries({ Emu: 10, Heron: 1 })) {
    await app.call('PATCH', `/v1/pets/${own.pets[name]}`, { key, body: { lowStockAt } });
  }
  const { page } = await signIn(app, { key });
  const tile = page.getByRole('link', { name: /Low stock/ });
  await expect.poll(() => tile.locator('.number').textContent()).toBe('2');
  await tile.click();
  const shown = () => page.locator('[data-row]').allTextContents();
  await expect.poll(shown).toEqual(['Emu', 'Lynx']);
  await expect.poll(() => page.locator('td strong.text-warn').count()).toBe(2);
});

test('a reference is given to a pet, and two pets cannot share one', async () => {
  const { page } = await signIn(app, { path: '/catalogue', statuses: [409] });
  await page.getByRole('button', { name: 'Edit Ibis' }).click();
  await page.getByLabel('Reference').fill('WH-4711');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('WH-4711').waitFor();
  await page.getByRole('button', { name: 'Edit Moa' }).click();
  await page.getByLabel('Reference').fill('WH-4711');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(`Pet ${pets.Ibis} already has this reference.`).first().waitFor();
});
