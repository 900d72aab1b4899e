// What the service answers to a link that has grown old, and to a change that is still on its way.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { Beagle: 3 });

const answer = (status: number, code: string) => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify({ code, message: 'Of the service.', status, requestId: 'req-1' }),
});

test('4.11 a change that is still being saved says so in words', async () => {
  const { page } = await signIn(app, {
    path: `/inventory?pet=${pets.Beagle}&adjust=1`,
    statuses: [409],
  });
  await page.route('**/adjustments', (route) =>
    route.fulfill(answer(409, 'idempotency_in_progress')),
  );
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Adjust by +1' }).click();
  await dialog.getByText('This change is still being saved.').waitFor();
  expect(await dialog.getByText('Of the service.').count()).toBe(0);
});

test('4.18 a link to a page that is gone offers the first page', async () => {
  const { page } = await signIn(app, { path: '/inventory?cursor=long-ago', statuses: [400] });
  await page.getByRole('link', { name: 'First page' }).click();
  await page.getByRole('button', { name: 'Adjust Beagle' }).waitFor();
});

test('4.21 an event that is no longer stored is not called missing', async () => {
  const { page, open } = await signIn(app, { statuses: [410] });
  await page.route('**/v1/events/7*', (route) => route.fulfill(answer(410, 'events_expired')));
  await open('/events/7');
  await page.getByText('This event is no longer stored').waitFor();
});
