// A new store: what to do first, ticked by what the store holds.

import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../support/console.ts';

const app = await consoleApp();

test('by keyboard: the steps of a new store lead to their screens and are ticked by what it holds', async () => {
  const key = await app.addWorkspace();
  const { page, open } = await signIn(app, { key });
  const card = page.getByRole('list', { name: 'Get started' });
  const ticks = async () =>
    (await card.getByRole('listitem').allTextContents()).map((text) => text.includes('(done)'));
  await expect.poll(ticks).toEqual([false, false, false, false, false, false]);
  await card.getByRole('link', { name: 'Add category' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Categories' }).waitFor();
  const make = async (path: string, body: object) =>
    (await app.call('POST', `/v1${path}`, { key, body })).body;
  const category = await make('/categories', { name: 'Dogs' });
  await open('');
  await expect.poll(ticks).toEqual([true, false, false, false, false, false]);
  const pet = await make('/pets', { name: 'Rex', categoryId: category.id });
  await open('');
  await expect.poll(ticks).toEqual([true, true, false, false, false, false]);
  await card.getByRole('link', { name: 'Set stock' }).click();
  await page.getByRole('dialog', { name: 'Adjust stock' }).waitFor();
  await make(`/inventory/${pet.id}/adjustments`, { delta: 4, reason: 'Delivery' });
  await make('/store/orders', { petId: pet.id });
  await make('/keys', { name: 'web shop', scopes: ['read'] });
  await open('');
  await expect.poll(ticks).toEqual([true, true, true, true, true, false]);
  await make('/webhooks', { url: 'http://127.0.0.1:9/hook' });
  await open('');
  await expect.poll(ticks).toEqual([]);
});

test('by touch: a key that may only read sees the steps, off, with the scope that they need', async () => {
  const key = await app.addWorkspace();
  const reader = await app.call('POST', '/v1/keys', { key, body: { name: 'r', scopes: ['read'] } });
  const { page } = await signIn(app, {
    key: reader.body.key,
    width: 390,
    context: { hasTouch: true, isMobile: true },
  });
  await page.getByRole('button', { name: 'Add pet' }).tap({ force: true });
  await page.getByText('Needs the scope “write”').first().waitFor();
});
