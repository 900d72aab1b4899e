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
