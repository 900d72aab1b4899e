// What is wrong with a field is said to a screen reader: when it appears, and when the field is reached.

import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, newTab, signIn } from '../../support/console.ts';

const app = await consoleApp();
await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });

const describedBy = (field: Locator) =>
  field.evaluate(
    (each) => document.getElementById(each.getAttribute('aria-describedby') ?? '')?.textContent,
  );

test('an error of a field is an alert, and describes the field', async () => {
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'New pet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create pet' }).click();
  const errors = await dialog.getByRole('alert').allTextContents();
  expect(errors).toHaveLength(2);
  const fields = [dialog.getByLabel('Name'), dialog.getByLabel('Category')];
  for (const [index, field] of fields.entries()) {
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => describedBy(field)).toBe(errors[index]);
  }
});

test('an error of a group of boxes is an alert, and describes the group', async () => {
  const { page } = await signIn(app, { path: '/keys' });
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Till');
  await dialog.getByRole('checkbox', { name: /^read/ }).uncheck();
  await dialog.locator('[type=submit]').click();
  const error = await dialog.getByRole('alert').textContent();
  await expect.poll(() => describedBy(dialog.getByRole('group', { name: 'Scopes' }))).toBe(error);
});

test('a webhook without types is refused with an alert', async () => {
  const { page } = await signIn(app, { path: '/webhooks' });
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio').nth(1).check();
  await dialog.locator('[type=submit]').click();
  await expect.poll(() => dialog.getByRole('alert').count()).toBe(2);
});

test('a mistyped key is an alert', async () => {
  const { page, open } = await newTab(app);
  await open('');
  await page.getByLabel('API key').fill('psk_x');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
});
