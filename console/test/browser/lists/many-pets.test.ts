// A store whose low pets lie behind more pets than one request of the API looks at.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { categoryId } = await stocked(app, {});
const stock = { quantity: 5, reserved: 0, held: false };
await app.transact(async (tx) => {
  const pets = Array.from({ length: 1_000 }, () => ({ name: 'Guppy', categoryId, stock }));
  for (let added = 0; added < 5_000; added += pets.length) {
    const ids = (await tx.pets.insert(1, pets, app.clock.now())) as number[];
    const none = { ...stock, quantity: 0 };
    const steps = ids.map((petId) => {
      return { petId, before: none, after: stock, cause: 'created' } as const;
    });
    await tx.stock.record(1, steps, app.clock.now());
  }
});

test('the overview looks on until it finds low pets', async () => {
  await stocked(app, { Olm: 0 });
  const { page } = await signIn(app);
  await page.locator('.needs').getByText('Olm: sold out').waitFor();
  expect(await page.getByText('All clear').count()).toBe(0);
});

test('an empty page of the inventory says how far it has looked, and goes on', async () => {
  const { page } = await signIn(app, { path: '/inventory?availableBelow=3' });
  await page.getByText('Searched about 5,000 records so far.').waitFor();
  await page.getByRole('link', { name: 'Keep searching' }).click();
  await page.getByRole('link', { name: 'Olm' }).waitFor();
});

test('a page with rows that ended early says how far it has looked, and goes on', async () => {
  const { page } = await signIn(app, { path: '/inventory?availableBelow=3' });
  await page.getByText('No match so far.').waitFor();
  const early = [{ petId: 1, quantity: 1, reserved: 0, available: 1, status: 'available' }];
  await page.route('**/v1/inventory?*cursor=*', async (route) => {
    const next = '/v1/inventory?availableBelow=3&limit=20&cursor=more';
    await route.fulfill({ json: early, headers: { link: `<${next}>; rel="next"` } });
  });
  await page.getByRole('link', { name: 'Keep searching' }).click();
  await page.getByText('1 pet on this page · Searched about 10,000 records so far.').waitFor();
  await page.getByRole('link', { name: 'Keep searching' }).waitFor();
  await page
    .getByRole('spinbutton', { name: 'Available below' })
    .or(page.getByLabel('Available below'))
    .fill('4');
  await expect.poll(() => page.url()).not.toContain('searched');
});

test('a store that is too large to look at is not called in order', async () => {
  const { page } = await signIn(app, { path: '/plan' });
  let looked = 0;
  await page.route('**/v1/inventory?low=true*', async (route) => {
    looked++;
    const next = `/v1/inventory?low=true&limit=100&cursor=${looked}`;
    await route.fulfill({ json: [], headers: { link: `<${next}>; rel="next"` } });
  });
  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.locator('.needs').getByText('No match so far.').waitFor();
  expect(await page.getByText('All clear').count()).toBe(0);
  expect(looked).toBe(10);
});
