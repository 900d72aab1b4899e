// The customer of an order that has ended: personal data, which can still be removed.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { 'Red panda': 50 });
const petId = pets['Red panda']!;

async function place(more: object = {}): Promise<number> {
  const body = { petId, customer: 'Mira Kowalski', reference: 'W-7', ...more };
  return (await app.call('POST', '/v1/store/orders', { body })).body.id;
}

const orderOf = async (id: number) => (await app.call('GET', `/v1/store/orders/${id}`)).body;

test('by keyboard: the customer of a fulfilled order is removed after a question, and nothing else', async () => {
  const id = await place({ complete: true });
  const { page, requests } = await signIn(app, { path: `/orders/${id}` });
  const button = page.getByRole('button', { name: 'Remove customer' });
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Remove customer of order ${id}` });
  await dialog.getByText('The name “Mira Kowalski” is removed from this order.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(requests.filter((each) => each.startsWith('PATCH'))).toEqual([]);
  const before = await orderOf(id);
  expect(before.customer).toBe('Mira Kowalski');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Remove customer' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(`Order ${id}: customer removed.`).waitFor();
  await page.getByText('Changed: customer').waitFor();
  await button.waitFor({ state: 'detached' });
  const { customer: _, ...rest } = before;
  expect(await orderOf(id)).toEqual(rest);
  expect(await page.getByText('Mira Kowalski').count()).toBe(0);
});

test('by touch: so is that of a cancelled order; an open one is edited instead', async () => {
  const id = await place();
  const { page, open } = await signIn(app, {
    path: `/orders/${id}`,
    width: 390,
    context: { hasTouch: true, isMobile: true },
  });
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  expect(await page.getByRole('button', { name: 'Remove customer' }).count()).toBe(0);
  await app.call('DELETE', `/v1/store/orders/${id}?reason=changed%20mind`);
  await open(`/orders/${id}`);
  await page.getByRole('button', { name: 'Remove customer' }).tap();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove customer' }).tap();
  await page.getByText(`Order ${id}: customer removed.`).waitFor();
  expect(await orderOf(id)).toMatchObject({ state: 'cancelled', endReason: 'changed mind' });
  expect(await orderOf(id)).not.toHaveProperty('customer');
});

test('a key that may only read sees the button off, with the scope that it needs', async () => {
  const id = await place({ complete: true });
  const { body } = await app.call('POST', '/v1/keys', { body: { name: 'r', scopes: ['read'] } });
  const { page } = await signIn(app, { key: body.key, path: `/orders/${id}` });
  await page.getByRole('button', { name: 'Remove customer' }).click({ force: true });
  await page.getByText('Needs the scope “write”').first().waitFor();
  expect((await orderOf(id)).customer).toBe('Mira Kowalski');
});
