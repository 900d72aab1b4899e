// A form sends only what the user changed, also after someone else changed another field of the record.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

test('a workspace that is renamed keeps the plan that its owner chose meanwhile', async () => {
  const key = await app.addWorkspace();
  const { body: own } = await app.call('PATCH', '/v1/workspace', { key, body: { plan: 'free' } });
  const { page } = await signIn(app, { path: `/workspaces/${own.id}`, statuses: [412] });
  await page.getByRole('textbox', { name: 'Name' }).fill('Renamed');
  await app.call('PATCH', '/v1/workspace', { key, body: { plan: 'pro' } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Save my version' }).waitFor();
  const rows = page.locator('table.compare tbody tr');
  await expect
    .poll(() => rows.filter({ hasText: 'Plan' }).locator('td').allTextContents())
    .toEqual(['Pro', 'Pro']);
  await page.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('“Renamed” saved.').waitFor();
  const { body } = await app.call('GET', `/v1/admin/workspaces/${own.id}`);
  expect(body).toMatchObject({ name: 'Renamed', plan: 'pro' });
});

test('a pet that is moved keeps the name that someone else gave it meanwhile', async () => {
  const { pets } = await stocked(app, { Rook: 1 });
  const { body: other } = await app.call('POST', '/v1/categories', { body: { name: 'Corvids' } });
  const { page } = await signIn(app, { path: '/catalogue?name=rook', statuses: [412] });
  await page.getByRole('button', { name: 'Edit Rook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Category').selectOption(String(other.id));
  await app.call('PATCH', `/v1/pets/${pets.Rook}`, { body: { name: 'Rook of theirs' } });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Rook of theirs saved.').waitFor();
  const { body } = await app.call('GET', `/v1/pets?id=${pets.Rook}`);
  expect(body[0]).toMatchObject({ name: 'Rook of theirs', categoryId: other.id });
});

test('a webhook that is described keeps the kinds of events that someone else chose meanwhile', async () => {
  const { body: hook } = await app.call('POST', '/v1/webhooks', {
    body: { url: 'http://127.0.0.1:9/hooks', types: ['category.*'] },
  });
  const { page } = await signIn(app, { path: `/webhooks/${hook.id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Description').fill('mine');
  await app.call('PATCH', `/v1/webhooks/${hook.id}`, { body: { types: ['order.*'] } });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Webhook saved.').waitFor();
  const { body } = await app.call('GET', `/v1/webhooks/${hook.id}`);
  expect(body).toMatchObject({ description: 'mine', types: ['order.*'] });
});

test('a field that the user left alone is not called theirs and yours', async () => {
  const { body: category } = await app.call('POST', '/v1/categories', {
    body: { name: 'Geckos', description: 'Old text' },
  });
  const { page } = await signIn(app, {
    path: '/catalogue/categories?name=geckos',
    statuses: [412],
  });
  await page.getByRole('button', { name: 'Edit Geckos' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('House geckos');
  await app.call('PATCH', `/v1/categories/${category.id}`, { body: { description: 'New text' } });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Save my version' }).waitFor();
  expect(await dialog.getByRole('cell', { name: 'Old text' }).count()).toBe(0);
  await expect.poll(() => dialog.getByLabel('Description').inputValue()).toBe('New text');
  await dialog.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Category House geckos saved.').waitFor();
  const { body } = await app.call('GET', `/v1/categories/${category.id}`);
  expect(body).toMatchObject({ name: 'House geckos', description: 'New text' });
});
