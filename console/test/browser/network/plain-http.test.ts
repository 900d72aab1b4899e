// A shop's own network without TLS. The page is no secure context there, so parts of the browser are missing.

import { expect, test } from 'vitest';
import { consoleApp, newTab, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const isPlain = true;

test('4.1 one signs in, adjusts stock, places and cancels an order, edits a pet and signs out', async () => {
  const { pets } = await stocked(app, { Beagle: 5 });
  const { page, open } = await newTab(app, { isPlain });
  await open('');
  await page.getByLabel('API key').fill(app.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(await page.evaluate(() => isSecureContext)).toBe(false);

  await open(`/inventory?pet=${pets.Beagle}&adjust=1`);
  await page.getByRole('dialog').getByRole('button', { name: 'Adjust by +1' }).click();
  await page.getByText('Beagle: 6 on hand').waitFor();

  await open(`/orders/new?petId=${pets.Beagle}`);
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByRole('heading', { level: 1, name: 'Order' }).waitFor();
  await page.getByRole('button', { name: 'Cancel order' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Cancel (the )?order/ })
    .click();
  await page.getByText('This order is cancelled and can no longer be changed.').waitFor();

  await open('/catalogue');
  await page.getByRole('button', { name: 'Edit Beagle' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Basset');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { body } = await app.call('GET', `/v1/inventory/${pets.Beagle}`);
  expect(body).toMatchObject({ quantity: 6, reserved: 0 });
  const { body: list } = await app.call('GET', `/v1/pets?id=${pets.Beagle}`);
  expect(list).toMatchObject([{ name: 'Basset' }]);

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
});

test('4.1 a new key is copied, although the page has no clipboard', async () => {
  const { page } = await signIn(app, { path: '/keys', isPlain });
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('till');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const key = await page
    .getByRole('dialog')
    .getByText(/psk_\w{50}/)
    .textContent();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').press('Control+V');
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe(key);
  await page.getByLabel('Name').fill('');
});
