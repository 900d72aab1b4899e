// An order of several pets: one form, one request.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

const reservedOf = async (petId: number) =>
  (await app.call('GET', `/v1/inventory/${petId}`)).body.reserved;

test('several pets are found by any word and ordered by keyboard, in one request', async () => {
  const { pets } = await stocked(app, { 'Black Labrador puppy': 5, 'Zebra finch': 9 });
  const { page, requests } = await signIn(app, { path: '/orders/new' });
  await page.getByRole('combobox', { name: 'Pet' }).focus();
  await page.keyboard.type('labra black');
  await page.getByRole('option', { name: /Black Labrador puppy/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('5 → 4').waitFor();
  await page.getByRole('button', { name: 'Add pet' }).focus();
  await page.keyboard.press('Enter');
  const second = page.getByRole('combobox', { name: 'Pet 2' });
  await expect.poll(() => second.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.keyboard.type('finch');
  await page.getByRole('option', { name: /Zebra finch/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('Units 2').fill('3');
  await page.getByText('9 → 6').waitFor();
  await page.getByLabel('Customer').fill('Ada Lovelace');
  await page.getByLabel('Reference').fill('WEB-77');
  await page.keyboard.press('Enter');
  await page.getByText('2 orders created.').waitFor();
  expect(requests.filter((each) => each.startsWith('POST'))).toEqual([
    'POST /v1/store/orders/batch',
  ]);
  const row = page.getByRole('row', { name: /2 orders of WEB-77/ });
  await row.getByText('1 × Black Labrador puppy, 3 × Zebra finch', { exact: true }).waitFor();
  await row.getByText('Ada Lovelace', { exact: true }).last().waitFor();
  expect(await Promise.all(Object.values(pets).map(reservedOf))).toEqual([1, 3]);
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
  await line.getByText(/3 units of an open order become available on/).waitFor();
  await page.getByRole('button', { name: 'Create order' }).tap();
  expect(await reservedOf(id)).toBe(3);
  await page.getByRole('button', { name: 'Remove line 2' }).tap();
  await page.getByRole('button', { name: 'Create order' }).tap();
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  expect(await reservedOf(id)).toBe(4);
});
