// What a form sends, what it reads again, and what it does when its answer comes late.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { Beagle: 5 });
const petId = pets.Beagle!;

test('opening the form of a pet writes nothing', async () => {
  const { page, requests } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'Edit Beagle' }).click();
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  expect(requests.filter((each) => !each.startsWith('GET'))).toEqual([]);
});

test('4.10 the echo of an own write reads nothing a second time, and the write of another client does', async () => {
  const { page, requests } = await signIn(app);
  const stream = page.waitForResponse((response) => response.url().includes('/events/stream'));
  await page.goto(page.url().replace(/console.*/, `console/inventory?pet=${petId}`));
  await stream;
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const before = requests.length;
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Adjust by/ })
    .click();
  await page.getByText('Beagle: 6 on hand').waitFor();
  const counts = () => requests.slice(before).filter((each) => /GET .v1.inventory/.test(each));
  await expect.poll(() => counts().length).toBeGreaterThan(1);
  // The event has arrived long before that of another client does.
  const isItem = (each: string) => each === `GET /v1/inventory/${petId}`;
  expect(counts().filter(isItem)).toHaveLength(1);
  const body = { delta: 2, reason: 'delivery' };
  await app.call('POST', `/v1/inventory/${petId}/adjustments`, { body });
  await expect.poll(() => counts().filter(isItem).length).toBe(2);
  expect(new Set(counts()).size).toBe(counts().length / 2);
});

test('4.10 a write that is answered after its screen was left leads nowhere', async () => {
  const { body: order } = await app.call('POST', '/v1/store/orders', { body: { petId } });
  const { page, open } = await signIn(app, { path: '/ledger' });
  await open(`/orders/${order.id}`);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/store/orders/*', async (route) => {
    if (route.request().method() === 'DELETE') await promise;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Catalogue', exact: true }).first().click();
  await page.goBack();
  await page.getByRole('button', { name: /^Cancel order/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Cancel (the )?order/ })
    .click();
  await page.goForward();
  await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
  resolve();
  await page.getByText(/^Order \d+ cancelled/).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/catalogue');
});

test('4.21 the error of a form that was left stays, with the id of its request, until it is closed', async () => {
  const { page } = await signIn(app, { path: '/catalogue', statuses: [500] });
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/pets/*', async (route) => {
    await promise;
    const headers = { 'x-request-id': 'req_lost' };
    const body = JSON.stringify({
      error: { code: 'internal', message: 'Broken.', requestId: 'req_lost' },
    });
    await route.fulfill({ status: 500, headers, contentType: 'application/json', body });
  });
  await page.getByRole('button', { name: /^(Hold|Put) .*Beagle/ }).click();
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
  resolve();
  const message = page.locator('.toast.bad');
  await message.getByText('Request req_lost').waitFor();
  await message.getByRole('button', { name: 'Close' }).click();
  await message.waitFor({ state: 'detached' });
});

test('4.21 a number that is none is marked while it is typed', async () => {
  const { page } = await signIn(app, { path: `/inventory?pet=${petId}&adjust=1` });
  const change = page.getByRole('dialog').getByLabel('Change');
  for (const text of ['abc', '1e3', '0']) {
    await change.fill(text);
    await expect.poll(() => change.getAttribute('aria-invalid')).toBe('true');
  }
  await change.fill('-1');
  await expect.poll(() => change.getAttribute('aria-invalid')).toBe(null);
});

test('4.18 a refusal of the service goes when the input changes that it was about', async () => {
  const { page } = await signIn(app, { path: '/catalogue/categories', statuses: [409] });
  await app.call('POST', '/v1/categories', { body: { name: 'Parrots' } });
  await page.getByRole('button', { name: 'New category' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('parrots');
  await dialog.getByRole('button', { name: /^Create/ }).click();
  await dialog.getByRole('alert').getByText('already has this name').waitFor();
  await dialog.getByText(/^Request req_|^Request /).waitFor();
  await dialog.getByLabel('Name').fill('');
  const alerts = dialog.getByRole('alert');
  await expect.poll(() => alerts.allTextContents()).toEqual([expect.stringContaining('name')]);
  await dialog.getByRole('button', { name: /^Create/ }).click();
  await expect
    .poll(() => alerts.allTextContents())
    .toEqual([expect.not.stringContaining('already')]);
});
