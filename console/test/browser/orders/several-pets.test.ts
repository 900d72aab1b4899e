// An order of several pets: one form, one request.

import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

const reservedOf = async (petId: number) =>
  (await app.call('GET', `/v1/inventory/${petId}`)).body.reserved;

test('several pets are found by any word and ordered by keyboard, in one request', async () => {
  const { pets } = await stocked(app, { 'Black Labrador puppy': 5, 'Zebra finch': 9 });
  const { page, requests } = await signIn(app, { path: '/orders/new' });
  const focused = (field: Locator) =>
    expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
  await focused(page.getByRole('combobox', { name: 'Pet' }));
  await page.keyboard.type('labra black');
  await page.getByRole('option', { name: /Black Labrador puppy/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('5 → 4').waitFor();
  await page.getByRole('button', { name: 'Add pet' }).focus();
  await page.keyboard.press('Enter');
  await focused(page.getByRole('combobox', { name: 'Pet 2' }));
  await page.keyboard.type('finch');
  await page.getByRole('option', { name: /Zebra finch/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await focused(page.getByLabel('Units 2'));
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.getByText('9 → 6').waitFor();
  await page.getByLabel('Customer').fill('Ada Lovelace');
  await page.getByLabel('Reference').fill('WEB-77');
  await page.keyboard.press('Enter');
  await page.getByText('Order WEB-77 created: 2 pets.').waitFor();
  expect(requests.filter((each) => each.startsWith('POST'))).toEqual([
    'POST /v1/store/orders/batch',
  ]);
  const row = page.getByRole('row', { name: /2 orders of WEB-77/ });
  await row.getByText('1 × Black Labrador puppy, 3 × Zebra finch', { exact: true }).waitFor();
  await row.getByText('Ada Lovelace', { exact: true }).last().waitFor();
  expect(await Promise.all(Object.values(pets).map(reservedOf))).toEqual([1, 3]);
});

test('without a reference the pets get one, and each costs two reads', async () => {
  await stocked(app, { 'Royal python': 5, 'Garter snake': 9 });
  const { page, requests } = await signIn(app, { path: '/orders/new' });
  const choose = async (place: string, text: string) => {
    await page.getByRole('combobox', { name: place, exact: true }).fill(text);
    await page.getByRole('option', { name: /\d available/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Effect on stock').last().waitFor();
  };
  await choose('Pet', 'python');
  expect(await page.getByText(/It keeps the pets of this order together/).count()).toBe(0);
  await page.getByRole('button', { name: 'Add pet' }).click();
  await choose('Pet 2', 'garter');
  const hint = await page.getByText(/It keeps the pets of this order together/).textContent();
  const reference = /[2-9A-Z]{4}-[2-9A-Z]{4}/.exec(hint!)![0];
  const isOfPets = (each: string) => /^GET \/v1\/(pets|inventory)\?(?!low)/.test(each);
  expect(requests.filter(isOfPets).length).toBe(4);
  requests.length = 0;
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByText(`Order ${reference} created: 2 pets.`).waitFor();
  await page.getByRole('row', { name: new RegExp(`2 orders of ${reference}`) }).waitFor();
  await page.getByText('1 × Royal python, 1 × Garter snake', { exact: true }).waitFor();
  // The names of the list alone: the form that was left reads nothing more.
  expect(requests.filter(isOfPets)).toHaveLength(1);
});

test('by touch: what is short says how many are left and when more are due; nothing is ordered', async () => {
  const { pets } = await stocked(app, { 'Ocelot kitten': 4, 'Ibex kid': 4 });
  const id = pets['Ocelot kitten']!;
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  await app.call('POST', '/v1/store/orders', { body: { petId: id, quantity: 3, expiresAt } });
  const { page } = await signIn(app, {
    path: `/orders/new?petId=${id}`,
    width: 390,
    context: { hasTouch: true, isMobile: true },
  });
  await page.getByRole('button', { name: 'Add pet' }).tap();
  await page.getByRole('combobox', { name: 'Pet 2' }).fill('ocelot');
  await page.getByRole('option', { name: /Ocelot kitten/ }).tap();
  const line = page.getByRole('region', { name: 'Line 2' });
  await line.getByText('Only 1 unit available.').waitFor();
  await line.getByText(/An open order reserves 3 units until/).waitFor();
  await page.getByRole('button', { name: 'Create order' }).tap();
  expect(await reservedOf(id)).toBe(3);
  await page.getByRole('button', { name: 'Remove line 2' }).tap();
  await page.getByRole('button', { name: 'Create order' }).tap();
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  expect(await reservedOf(id)).toBe(4);
});

test('a second line of the same pet counts what the first one takes', async () => {
  const { pets } = await stocked(app, { 'Nubian ibex': 4 });
  const { page } = await signIn(app, { path: `/orders/new?petId=${pets['Nubian ibex']}` });
  await page.getByRole('button', { name: 'Add pet' }).click();
  await page.getByRole('combobox', { name: 'Pet 2' }).fill('nubian');
  await page.getByRole('option', { name: /Nubian ibex/ }).click();
  const line = page.getByRole('region', { name: 'Line 2' });
  await line.getByText('4 → 2', { exact: true }).waitFor();
  await line.getByText('0 → 2', { exact: true }).waitFor();
  await page.getByLabel('Already handed over').check();
  await expect.poll(() => line.getByText('4 → 2', { exact: true }).count()).toBe(2);
});

test('a pet that was deleted meanwhile is named by its line, and the rest of the order is placed', async () => {
  const { pets } = await stocked(app, { 'Pygmy goat': 4, 'Angora goat': 4 });
  const { page } = await signIn(app, {
    path: `/orders/new?petId=${pets['Pygmy goat']}`,
    statuses: [400],
  });
  await page.getByRole('button', { name: 'Add pet' }).click();
  await page.getByRole('combobox', { name: 'Pet 2' }).fill('angora');
  await page.getByRole('option', { name: /Angora goat/ }).click();
  await page.getByLabel('Customer').fill('Ada Lovelace');
  // The page does not hear of it.
  await page.route('**/v1/inventory?*', () => {});
  await app.call('DELETE', `/v1/pets/${pets['Angora goat']}`);
  await page.getByRole('button', { name: 'Create order' }).click();
  await page
    .getByRole('alert')
    .getByText('Line 2: This pet no longer exists. Someone may have deleted it.')
    .waitFor();
  expect(await reservedOf(pets['Pygmy goat']!)).toBe(0);
  await page.getByRole('button', { name: 'Remove line 2' }).click();
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByText(/Order \d+ created: 1 unit of Pygmy goat/).waitFor();
});
