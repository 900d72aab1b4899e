// What the columns say that a phone has no room for.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { Beagle: 9, Siamese: 9 });
const petId = pets.Beagle!;

test('on a phone, orders say which are open, late and fulfilled', async () => {
  const place = async (body: object) =>
    (await app.call('POST', '/v1/store/orders', { body: { petId, ...body } })).body.id;
  const open = await place({});
  const late = await place({ shipDate: '2020-01-05T10:00:00Z' });
  const fulfilled = await place({ complete: true });
  const { page } = await signIn(app, { path: '/orders?show=all', width: 390 });
  const stateOf = async (id: number) => {
    const row = page.getByRole('row', { name: `Order ${id} ` });
    return (await row.locator('.only-narrow').textContent())?.split(' · ')[0];
  };
  await page.getByRole('row', { name: `Order ${open} ` }).waitFor();
  await expect
    .poll(() => Promise.all([open, late, fulfilled].map(stateOf)))
    .toEqual(['Open', 'Late', 'Fulfilled']);
});

test('on a phone, the inventory says which pets are on hold', async () => {
  await app.call('PATCH', `/v1/pets/${petId}`, { body: { status: 'pending' } });
  const { page } = await signIn(app, { path: '/inventory', width: 390 });
  await page.getByRole('row', { name: /Siamese .* · Available/ }).waitFor();
  await page.getByRole('row', { name: /Beagle .* · On hold/ }).waitFor();
});

test('rows of another filter are dimmed until the one on the screen is answered', async () => {
  await stocked(app, { Quoll: 3, Quokka: 0 });
  const { page } = await signIn(app, { path: '/inventory?name=quo' });
  const list = page.getByRole('region', { name: 'Stock' });
  await list.getByRole('link', { name: 'Quoll' }).waitFor();
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/inventory?*', async (route) => {
    await promise;
    await route.continue();
  });
  const opacity = () =>
    list.getByRole('table').evaluate((table) => getComputedStyle(table).opacity);
  expect(await opacity()).toBe('1');
  await page.getByRole('radio', { name: 'Sold out' }).check();
  await list.and(page.locator('[aria-busy=true]')).waitFor();
  await expect.poll(opacity).toBe('0.5');
  resolve();
  await list.getByRole('link', { name: 'Quoll' }).waitFor({ state: 'detached' });
  await list.getByRole('link', { name: 'Quokka' }).waitFor();
  await expect.poll(opacity).toBe('1');
});
