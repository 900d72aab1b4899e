import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../support/console.ts';

const app = await consoleApp();
await stocked(app, { Beagle: 1 });

const failing = {
  status: 500,
  contentType: 'application/json',
  headers: { 'x-request-id': 'req-of-the-fault' },
  body: JSON.stringify({
    code: 'internal_error',
    message: 'Something went wrong on our side.',
    status: 500,
    requestId: 'req-of-the-fault',
  }),
};

test('a 500 of one endpoint breaks one card, with its request id, and the rest works', async () => {
  const { page, open } = await signIn(app, { statuses: [500] });
  await page.route('**/v1/movements**', (route) => route.fulfill(failing));
  await open('');
  const card = page.locator('.card', {
    has: page.getByRole('heading', { name: 'Latest stock changes' }),
  });
  await card.getByText('Could not load this').waitFor();
  await card.getByText('Request req-of-the-fault').waitFor();
  await page.getByText('Beagle: 1 left').waitFor();
  await page.getByRole('slider').first().waitFor();
  await expect.poll(() => page.getByText('Could not load this').count()).toBe(1);
  expect(await page.getByText('The service does not answer.').count()).toBe(0);
  await page.unrouteAll();
  await card.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table', { name: 'Latest stock changes' }).waitFor();
});

test('a 500 of the open orders is said in their tile, with its request id', async () => {
  const { page, open } = await signIn(app, { statuses: [500] });
  await page.route('**/v1/store/orders**', (route) => route.fulfill(failing));
  await open('');
  const tile = page.getByRole('link', { name: /^Open orders/ });
  await tile.getByText('Something went wrong on our side. Request req-of-the-fault').waitFor();
  await page.getByText('Beagle: 1 left').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await tile.getByText('0 units reserved').waitFor();
});

test('a 500 of a list leaves its screen and the navigation working', async () => {
  const { page, open } = await signIn(app, { statuses: [500] });
  await page.route('**/v1/inventory?**', (route) => route.fulfill(failing));
  await open('/inventory');
  await page.getByText('Request req-of-the-fault').waitFor();
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Catalogue', exact: true }).click();
  await page
    .getByRole('cell', { name: /Beagle/ })
    .first()
    .waitFor();
});

test('a page that cannot learn whether there is a session says why, and tries again', async () => {
  const { page, open } = await signIn(app, { statuses: [500] });
  await page.route('**/v1/session', (route) => route.fulfill(failing));
  await open('/inventory');
  await page.getByText('Request req-of-the-fault').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Inventory' }).waitFor();
});

test('what needs you is shown whole, when its last part has arrived or failed', async () => {
  const { page, open } = await signIn(app, { statuses: [500] });
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/usage/advice', async (route) => {
    await release.promise;
    await route.fulfill(failing);
  });
  await open('');
  await page.getByRole('table', { name: 'Latest stock changes' }).waitFor();
  expect(await page.getByText('Beagle: 1 left').count()).toBe(0);
  release.resolve();
  await page.getByText('Beagle: 1 left').waitFor();
});
