// The command that a form shows is the request that it sends.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets, categoryId } = await stocked(app, { Beagle: 5 });
const petId = pets.Beagle!;
const { body: order } = await app.call('POST', '/v1/store/orders', { body: { petId } });
const { body: webhook } = await app.call('POST', '/v1/webhooks', {
  body: { url: 'http://127.0.0.1:9/hook' },
});
const { body: workspace } = await app.call('GET', '/v1/workspace');

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test.each([
  { path: `/inventory?pet=${petId}`, button: 'Set count', record: `/inventory/${petId}` },
  {
    path: '/catalogue/categories',
    button: /^Edit Kind/,
    record: `/categories/${categoryId}`,
  },
  { path: `/orders/${order.id}`, button: 'Edit', record: `/store/orders/${order.id}` },
  { path: `/orders/${order.id}`, button: 'Fulfil', record: `/store/orders/${order.id}` },
  { path: `/webhooks/${webhook.id}`, button: 'Edit', record: `/webhooks/${webhook.id}` },
  { path: `/workspaces/${workspace.id}`, record: `/admin/workspaces/${workspace.id}` },
])('$button of $path builds on the record that is shown', async ({ path, button, record }) => {
  const { page } = await signIn(app, { path });
  if (button) await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByText('As curl').click();
  const { headers } = await app.call('GET', `/v1${record}`);
  await expect
    .poll(() => page.locator('.curl pre').textContent())
    .toContain(`-H 'If-Match: ${headers.get('etag')}'`);
});

test('no command is shown for input that would not be sent', async () => {
  const { page } = await signIn(app, { path: `/inventory?pet=${petId}` });
  const command = page.getByRole('dialog').locator('.curl pre');
  const show = () => page.getByRole('dialog').getByText('As curl').click();
  await press(page, 'Set count');
  await show();
  await command.waitFor();
  await page.getByLabel('New count').fill('');
  await command.waitFor({ state: 'detached' });
  await press(page, 'Cancel');
  await press(page, 'Adjust');
  await show();
  await command.waitFor();
  const placeOf = () => page.getByRole('dialog').getByText('As curl').boundingBox();
  const before = await placeOf();
  await page.getByLabel('Change').fill('+1x');
  await command.waitFor({ state: 'detached' });
  // Its place stays, below the error of the field.
  expect((await placeOf())!.y).toBeGreaterThanOrEqual(before!.y);
});

test.each([1440, 390] as const)(
  '4.21 a long command leaves its dialog as it is, %i wide',
  async (width) => {
    const { page } = await signIn(app, { path: `/inventory?pet=${petId}`, width });
    await press(page, 'Set count');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('x'.repeat(200));
    await dialog.getByText('As curl').click();
    await dialog.locator('.curl pre').waitFor();
    const overflow = await dialog.evaluate((each) => each.scrollWidth - each.clientWidth);
    expect(overflow).toBe(0);
  },
);
