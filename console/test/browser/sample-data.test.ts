// An empty store is filled with sample data: once, whatever fails in between.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../support/console.ts';

const app = await consoleApp();

interface Held {
  categories: string[];
  pets: { name: string; reference: string; lowStockAt: number }[];
  stock: { quantity: number }[];
  orders: { state: string; customer: string; reference: string }[];
  /** How many rows of the ledger. */
  movements: number;
}

/** All that the store holds. */
async function heldBy(key: string): Promise<Held> {
  const read = async (path: string) => (await app.call('GET', `/v1${path}`, { key })).body;
  const categories = await read('/categories?limit=100');
  return {
    categories: categories.map(({ name }: { name: string }) => name),
    pets: await read('/pets?limit=100'),
    stock: await read('/inventory?limit=100'),
    orders: await read('/store/orders?limit=100&state=open&state=complete&state=cancelled'),
    movements: (await read('/movements?limit=100')).length,
  };
}

/** What one run leaves behind. A new pet starts with 1, so counting 1 would write no row. */
async function expectFilledOnce(key: string): Promise<void> {
  const held = await heldBy(key);
  expect(held.categories).toEqual(['Small animals', 'Birds', 'Fish', 'Reptiles']);
  expect(held.pets).toHaveLength(16);
  expect(new Set(held.pets.map(({ reference }) => reference)).size).toBe(16);
  expect(held.pets[8]).toMatchObject({ name: 'Neon tetra', reference: 'A-301', lowStockAt: 40 });
  expect(held.stock[8]).toMatchObject({ quantity: 120, reserved: 12 });
  expect(held.orders.map(({ state, reference }) => `${reference} ${state}`)).toEqual([
    'W-1001 open',
    'W-1002 open',
    'W-1002 open',
    'W-1003 open',
    'W-1004 open',
    'W-1005 cancelled',
  ]);
  expect(held.orders.every(({ customer }) => customer.includes(' '))).toBe(true);
  expect(held.movements).toBe(16 + 16 + 6 + 1);
}

const writesIn = (requests: readonly string[]) =>
  requests.filter((each) => /^(POST|DELETE) \/v1\/(?!session)/.test(each));

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Fill with sample data' });

const WRITES = [
  ...Array(4).fill('POST /v1/categories'),
  'POST /v1/pets/batch',
  'POST /v1/inventory/batch',
  'POST /v1/store/orders/batch',
  expect.stringMatching(/^DELETE \/v1\/store\/orders\/\d+\?reason=/),
];

test('by keyboard: an empty store is filled, with the number of requests that was said before', async () => {
  const key = await app.addWorkspace();
  const { page, requests } = await signIn(app, { key });
  await page.getByRole('link', { name: 'Fill store' }).focus();
  await page.keyboard.press('Enter');
  await dialogOf(page).getByText('It takes 8 requests of your plan.').waitFor();
  expect(writesIn(requests)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Fill store' }).focus();
  await page.keyboard.press('Enter');
  await dialogOf(page).getByRole('button', { name: 'Fill store' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('The store is filled with sample data.').waitFor();
  expect(writesIn(requests)).toEqual(WRITES);
  await expectFilledOnce(key);
  await page.getByText('Hermann’s tortoise: sold out').waitFor();
  expect(await page.getByRole('link', { name: 'Fill store' }).count()).toBe(0);
  expect(await page.getByText('Sample data is incomplete').count()).toBe(0);
});

test('by touch: what failed goes on after a reload, and nothing is there twice', async () => {
  const key = await app.addWorkspace();
  const { page, requests, open } = await signIn(app, {
    key,
    width: 390,
    context: { hasTouch: true, isMobile: true },
    statuses: [0],
  });
  // The orders are placed, and every answer is lost.
  await page.route('**/v1/store/orders/batch', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('link', { name: 'Fill store' }).tap();
  await dialogOf(page).getByRole('button', { name: 'Fill store' }).tap();
  await dialogOf(page).getByRole('button', { name: 'Continue' }).waitFor();
  await dialogOf(page).getByText('6 of 8 requests done').waitFor();
  expect(writesIn(requests).slice(0, 7)).toEqual(WRITES.slice(0, 7));
  await page.unroute('**/v1/store/orders/batch');
  await open('');
  await page.getByText('Sample data is incomplete').waitFor();
  requests.length = 0;
  await page.getByRole('link', { name: 'Continue' }).tap();
  await dialogOf(page).getByText('The rest takes 2 requests').waitFor();
  await dialogOf(page).getByRole('button', { name: 'Continue' }).tap();
  await page.getByText('The store is filled with sample data.').waitFor();
  expect(writesIn(requests)).toEqual(WRITES.slice(6));
  await expectFilledOnce(key);
});

test('a run that was interrupted can be given up', async () => {
  const key = await app.addWorkspace();
  const { page } = await signIn(app, { key, statuses: [0] });
  await page.route('**/v1/pets/batch', (route) => route.abort());
  await page.getByRole('link', { name: 'Fill store' }).click();
  await dialogOf(page).getByRole('button', { name: 'Fill store' }).click();
  await dialogOf(page).getByRole('button', { name: 'Stop here' }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await expect.poll(() => page.getByText('Sample data is incomplete').count()).toBe(0);
  expect((await heldBy(key)).pets).toEqual([]);
});

test('a key that may only read sees the scope it needs; a store with a category is not offered it', async () => {
  const key = await app.addWorkspace();
  const { body } = await app.call('POST', '/v1/keys', {
    key,
    body: { name: 'r', scopes: ['read'] },
  });
  const reader = await signIn(app, { key: body.key });
  await reader.page.getByRole('button', { name: 'Fill store' }).click({ force: true });
  await reader.page.getByText('Needs the scope “write”').first().waitFor();
  await app.call('POST', '/v1/categories', { key, body: { name: 'Dogs' } });
  const { page } = await signIn(app, { key });
  await page.getByRole('list', { name: 'Get started' }).getByText('(done)').first().waitFor();
  expect(await page.getByRole('link', { name: 'Fill store' }).count()).toBe(0);
});
