// An order that someone else fulfilled or cancelled meanwhile: the dialog says so and offers nothing that is refused.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

const placed = async (name: string) => {
  const { pets } = await stocked(app, { [name]: 5 });
  const body = { petId: pets[name], quantity: 2 };
  return (await app.call('POST', '/v1/store/orders', { body })).body.id as number;
};

/** The dialog says what happened, and closing it is all that is left. */
async function isOver(page: Page, state: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const alert = dialog.getByRole('alert');
  await alert.getByText(`This order is ${state} and can no longer be changed.`).waitFor();
  expect(await dialog.locator('button[type=submit]').count()).toBe(0);
  expect(await dialog.getByRole('button', { name: /Save|Cancel|Keep|Preview/ }).count()).toBe(0);
}

test('fulfilling an order that was cancelled meanwhile says so, with the row of the ledger', async () => {
  const id = await placed('Quokka');
  const { page, requests } = await signIn(app, { path: `/orders/${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Fulfil' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('5 → 3').waitFor();
  await app.call('DELETE', `/v1/store/orders/${id}`);
  await dialog.getByRole('button', { name: 'Fulfil' }).click();
  await isOver(page, 'cancelled');
  await dialog.getByText(/Released · Order \d+ by .*reserved 2\s→ 0/).waitFor();
  expect(await dialog.getByLabel('Effect on stock').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  expect(requests.filter((each) => each.startsWith('PATCH'))).toHaveLength(1);
});

test('a change of an order that was fulfilled meanwhile stays to be read, and is not sent again', async () => {
  const id = await placed('Numbat');
  const { page, requests } = await signIn(app, { path: `/orders/${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Note').fill('Call before delivery');
  await app.call('PATCH', `/v1/store/orders/${id}`, { body: { complete: true } });
  await dialog.getByLabel('Note').press('Enter');
  await isOver(page, 'fulfilled');
  await dialog.getByText(/Fulfilled · Order \d+ by .*5\s→ 3/).waitFor();
  expect(await dialog.getByLabel('Note').inputValue()).toBe('Call before delivery');
  await dialog.getByLabel('Note').press('Enter');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  expect(requests.filter((each) => each.startsWith('PATCH'))).toHaveLength(1);
});

test('a list that is behind offers a dialog that says the order has ended, and sends nothing', async () => {
  const id = await placed('Bilby');
  const { page, requests } = await signIn(app, { path: '/orders' });
  const fulfil = page.getByRole('button', { name: `Fulfil order ${id}`, exact: true });
  await fulfil.waitFor();
  // The list hears of it late: a refresh is due at most once in 15 seconds.
  await page.route('**/v1/store/orders?*', () => undefined);
  await app.call('PATCH', `/v1/store/orders/${id}`, { body: { complete: true } });
  await fulfil.click();
  await isOver(page, 'fulfilled');
  expect(requests.some((each) => each.startsWith('PATCH'))).toBe(false);
});
