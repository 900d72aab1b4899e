import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../../support/console.ts';

const app = await consoleApp();
const { body: key } = await app.call('POST', '/v1/keys', {
  body: { name: 'web shop', scopes: ['read', 'write'] },
  headers: { 'x-request-id': 'made-the-key' },
});
await app.call('PATCH', '/v1/workspace', { body: { name: 'Happy Paws', lowStockAt: 4 } });
await app.call('PATCH', '/v1/admin/workspaces/1', {
  body: { plan: 'enterprise', limits: { perMinute: 90_000, perDay: 90_000 } },
});

const rowOf = (page: Page, text: string) =>
  page.locator('main tbody tr').filter({ hasText: text }).first();

test('a row says who changed what, from what to what, and leads to its request', async () => {
  const { page } = await signIn(app, { path: '/audit' });
  const created = rowOf(page, 'Key created');
  await created.getByRole('link', { name: 'Key web shop' }).waitFor();
  await expect.poll(() => created.textContent()).toContain('Scopes: read, write');
  await expect.poll(() => created.textContent()).toContain('first key');
  const renamed = rowOf(page, 'Name: ');
  await expect.poll(() => renamed.textContent()).toContain('→ Happy Paws');
  await expect.poll(() => renamed.textContent()).toContain('Low stock at: none → 4');
  await expect
    .poll(() => rowOf(page, 'Limits changed').textContent())
    .toMatch(/→ 90,000\sa\sminute, 90,000\sa\sday/);
  await created.getByRole('link', { name: 'made-the-key' }).click();
  await page.getByText('POST /keys').waitFor();
});

test('5.2 a press on “When” turns the order of the rows and of the next pages', async () => {
  const { page } = await signIn(app, { path: '/audit?action=key.created' });
  const heading = page.getByRole('columnheader', { name: 'When' });
  const keys = page.locator('main tbody tr').getByRole('link', { name: /^Key / });
  const sorted = async (direction: string) => {
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe(direction);
    return keys.allTextContents();
  };
  const newest = await sorted('descending');
  expect(newest[0]).toBe('Key web shop');
  expect(newest.length).toBeGreaterThan(1);
  await heading.getByRole('link').click();
  await page.waitForURL(/sort=at/);
  await expect.poll(() => sorted('ascending')).toEqual(newest.toReversed());
  await heading.getByRole('link').click();
  await expect.poll(() => sorted('descending')).toEqual(newest);
});

test('filters are in the address, and a press on a target shows its history', async () => {
  const { page, open } = await signIn(app, { path: '/audit' });
  const rows = page.locator('main tbody tr');
  await rows.first().waitFor();
  await page.getByLabel('Action', { exact: true }).selectOption('plan.changed');
  await page.waitForURL(/action=plan\.changed/);
  await open('/audit');
  await page.getByRole('link', { name: 'Key web shop' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('target')).toBe(`key:${key.id}`);
  await expect.poll(() => rows.count()).toBe(1);
  await open(`/audit?actor=${key.id}`);
  await page.getByText('No change matches these filters.').waitFor();
  await open('/audit?from=2020-01-01&to=2020-01-02');
  await page.getByText('No change matches these filters.').waitFor();
});

test.each([
  ['CSV', 'audit.csv'],
  ['NDJSON', 'audit.ndjson'],
])('the rows that the filters leave are exported as %s', async (format, fileName) => {
  const { page } = await signIn(app, { path: '/audit?action=key.created' });
  const waiting = page.waitForEvent('download');
  await page.getByRole('link', { name: `Export ${format}` }).click();
  const download = await waiting;
  expect(download.suggestedFilename()).toBe(fileName);
  const text = readFileSync(await download.path(), 'utf8');
  expect(text).toContain('web shop');
  expect(text).not.toContain('session.opened');
});

test('of an operator the owner sees that it was one, and no more', async () => {
  const { body } = await app.call('POST', '/v1/admin/workspaces', { body: { name: 'Next door' } });
  await app.call('PATCH', `/v1/admin/workspaces/${body.workspace.id}`, {
    body: { name: 'Cats only' },
  });
  const { page } = await signIn(app, { key: body.key.key, path: '/audit' });
  const row = rowOf(page, 'Cats only');
  await row.waitFor();
  await expect.poll(() => row.textContent()).toContain('Operator');
  expect(await row.textContent()).not.toContain('first key');
});

test('a key without manage has no audit log', async () => {
  const { page, open } = await signIn(app, { key: await app.addKey(['read', 'write']) });
  expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  await open('/audit');
  await page.getByText('It needs the scope “manage”.').waitFor();
});
