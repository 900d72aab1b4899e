import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../support/console.ts';

const PETS = 10_000;
const BATCH = 1_000;
const PAGE = 20;

const app = await consoleApp();
const { body: category } = await app.call('POST', '/v1/categories', { body: { name: 'Mice' } });
for (let start = 0; start < PETS; start += BATCH) {
  const pets = Array.from({ length: BATCH }, (_, index) => ({
    name: `Mouse ${String(start + index).padStart(5, '0')}`,
    categoryId: category.id,
  }));
  await app.call('POST', '/v1/pets/batch', { body: { pets } });
}

const namesOn = (page: Page) => page.locator('main tbody a[data-row]').allTextContents();

/** The names of the page whose first pet is this one. */
async function pageFrom(page: Page, first: number): Promise<string[]> {
  const name = `Mouse ${String(first).padStart(5, '0')}`;
  await expect.poll(async () => (await namesOn(page))[0]).toBe(name);
  return namesOn(page);
}

test('next and back repeat and skip nothing of 10,000 pets while another client writes', async () => {
  const { page, requests, open } = await signIn(app);
  const startedAt = performance.now();
  await open('/inventory');
  const pages = [await pageFrom(page, 0)];
  console.log(`first page of ${PETS} pets: ${Math.round(performance.now() - startedAt)} ms`);
  const { body: stored } = await app.call('GET', `/v1/pets?limit=100`);
  for (let step = 1; step < 4; step++) {
    // Another client sells, adds and renames behind and before the place of this page.
    await app.call('POST', '/v1/store/orders', { body: { petId: stored[step].id } });
    await app.call('POST', '/v1/pets', { body: { name: `New ${step}`, categoryId: category.id } });
    await page.getByRole('link', { name: 'Next' }).click();
    pages.push(await pageFrom(page, step * PAGE));
  }
  const expected = Array.from(
    { length: 4 * PAGE },
    (_, index) => `Mouse ${String(index).padStart(5, '0')}`,
  );
  expect(pages.flat()).toEqual(expected);
  // A pet that was opened and closed is not a page.
  await page.getByRole('link', { name: 'Mouse 00061' }).click();
  await page.getByRole('complementary', { name: 'Mouse 00061' }).waitFor();
  for (let step = 2; step >= 0; step--) {
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await expect.poll(() => pageFrom(page, step * PAGE)).toEqual(pages[step]);
  }
  expect(await page.getByRole('button', { name: 'Back', exact: true }).count()).toBe(0);
  // A copied link to a page shows the same rows.
  await page.getByRole('link', { name: 'Next' }).click();
  await pageFrom(page, PAGE);
  await page.reload();
  await expect.poll(() => pageFrom(page, PAGE)).toEqual(pages[1]);
  expect(requests.filter((each) => each.includes('limit=100&cursor')).length).toBe(0);
});

test('a pet that another client deletes leaves no gap between two pages', async () => {
  const { page } = await signIn(app, { path: '/catalogue?name=Mouse%20000' });
  const first = await pageFrom(page, 0);
  const { body } = await app.call('GET', '/v1/pets?name=Mouse%2000020');
  await app.call('DELETE', `/v1/pets/${body[0].id}`);
  await page.getByRole('link', { name: 'Next' }).click();
  const second = await pageFrom(page, first.length === PAGE ? 21 : first.length);
  expect(new Set([...first, ...second]).size).toBe(first.length + second.length);
  expect([...first, ...second]).not.toContain('Mouse 00020');
});
