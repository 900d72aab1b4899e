// Orders that have ended are found, and what ends the work on many of them is said once.

import { expect, test } from 'vitest';
import { reachService } from '../../support/chromium.ts';
import { consoleApp, signIn, stocked } from '../../support/console.ts';
import { limitedStore } from '../../support/limited-store.ts';

const app = await consoleApp();

test('a cancelled order is found by its customer, from the palette and from a tab that does not show it', async () => {
  const { pets } = await stocked(app, { Okapi: 5 });
  const body = { petId: pets.Okapi, customer: 'Zebulon Quist' };
  const { body: order } = await app.call('POST', '/v1/store/orders', { body });
  await app.call('DELETE', `/v1/store/orders/${order.id}`);
  const { page } = await signIn(app, { path: '/orders?q=zebulon' });
  await page.getByText('No orders found').waitFor();
  await page.getByRole('link', { name: 'Search all orders' }).click();
  await page
    .getByRole('row', { name: `Order ${order.id} ` })

    .getByText('Cancelled', { exact: true })
    .waitFor();
  await expect.poll(() => page.getByRole('radio', { name: 'All' }).isChecked()).toBe(true);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('quist');
  await page.getByRole('option', { name: /Zebulon Quist/ }).click();
  await page.getByRole('heading', { level: 1, name: `Order ${order.id}` }).waitFor();
});

test('a pick list has the open orders alone, and no slip is printed for a cancelled one', async () => {
  const { pets } = await stocked(app, { Civet: 9 });
  const place = async (body: object) => {
    const order = { petId: pets.Civet, ...body };
    return (await app.call('POST', '/v1/store/orders', { body: order })).body.id as number;
  };
  const [open, complete, cancelled] = [
    await place({ quantity: 2 }),
    await place({ complete: true }),
    await place({}),
  ];
  await app.call('DELETE', `/v1/store/orders/${cancelled}`);
  const { page } = await signIn(app, { path: `/orders?show=all&petId=${pets.Civet}` });
  await page.evaluate(() => {
    globalThis.print = () => {
      document.title = document.querySelector('.sheet')?.textContent ?? 'nothing';
      dispatchEvent(new Event('afterprint'));
    };
  });
  const pick = page.getByRole('button', { name: 'Print pick list' });
  const slips = page.getByRole('button', { name: 'Print packing slips' });
  await page.getByLabel('Select all on this page').check();
  await pick.click();
  await expect.poll(() => page.title()).toContain(`Civet22 × Order ${open}`);
  expect(await page.title()).not.toMatch(new RegExp(`Order (${complete}|${cancelled})`));
  await slips.click();
  await expect.poll(() => page.title()).toContain(`Packing slip: Order ${complete}`);
  expect(await page.title()).not.toContain(`Order ${cancelled}`);
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.getByLabel(`Select order ${cancelled}`).check();
  await expect.poll(() => pick.getAttribute('title')).toBe('None of these is open.');
  await expect.poll(() => slips.getAttribute('title')).toBe('All of these were cancelled.');
});

test('the progress of fulfilling several orders counts all of them, also when the list is read again', async () => {
  const { pets } = await stocked(app, { Tamarin: 9 });
  const orders = Array(4).fill({ petId: pets.Tamarin, customer: 'Tally' });
  const { body: placed } = await app.call('POST', '/v1/store/orders/batch', { body: { orders } });
  const { page } = await signIn(app, { path: '/orders?q=tally' });
  await page.getByLabel('Select all on this page').check();
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(`**/v1/store/orders/${placed.results[2].order.id}`, async (route) => {
    await promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Fulfil 4 orders' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fulfil', exact: true }).click();
  await page.getByText(/^[23] orders selected/).waitFor();
  await page.getByText('2 of 4 …').waitFor();
  resolve();
  await page.getByText('4 orders fulfilled.').waitFor();
});

test('when the day is used up, fulfilling several orders ends there, and says so once', async () => {
  const store = await limitedStore(app, { perMinute: 1_000, perDay: 60 });
  const { pets } = await stocked(app, { Tapir: 20 }, store.key);
  const orders = Array.from({ length: 8 }, () => ({ petId: pets.Tapir }));
  await app.call('POST', '/v1/store/orders/batch', { key: store.key, body: { orders } });
  const { page, requests } = await signIn(app, {
    key: store.key,
    path: '/orders',
    statuses: [429],
  });
  await page.getByLabel('Select all on this page').check();
  await store.useUp(3);
  await page.getByRole('button', { name: 'Fulfil 8 orders' }).click();
  await page.getByRole('button', { name: 'Fulfil', exact: true }).click();
  await page.getByText(/^Stopped with [5-8] orders left\. Rate limit reached/).waitFor();
  await expect.poll(() => page.locator('.toast.bad').count()).toBe(1);
  // They are still marked, for the next day.
  await page.getByText(/^[5-8] orders selected$/).waitFor();
  expect(requests.filter((each) => each.startsWith('PATCH')).length).toBeLessThan(6);
});

test('fulfilling several orders that ends with a lost answer says which outcome is unknown', async () => {
  const { pets } = await stocked(app, { Coati: 9 });
  const orders = Array(3).fill({ petId: pets.Coati, customer: 'Lost' });
  const { body: placed } = await app.call('POST', '/v1/store/orders/batch', { body: { orders } });
  const ids = placed.results.map(({ order }: { order: { id: number } }) => order.id);
  const { page } = await signIn(app, { path: '/orders?q=lost', statuses: [0] });
  await page.getByLabel('Select all on this page').check();
  // The service fulfils the second, and its answer never arrives.
  await page.route(`**/v1/store/orders/${ids[1]}`, async (route) => {
    await reachService(route);
    await route.abort();
  });
  await page.getByRole('button', { name: 'Fulfil 3 orders' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fulfil', exact: true }).click();
  await page
    .getByText(`Stopped with 1 order left. The outcome of order ${ids[1]} is unknown.`)
    .waitFor();
  await page.getByText('1 order fulfilled.').waitFor();
  const states = ids.map(async (id: number) => {
    return (await app.call('GET', `/v1/store/orders/${id}`)).body.state;
  });
  expect(await Promise.all(states)).toEqual(['complete', 'complete', 'open']);
});
