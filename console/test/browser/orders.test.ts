import { expect, test } from 'vitest';
import { reachService } from '../support/chromium.ts';
import { consoleApp, signIn, stocked } from '../support/console.ts';

const app = await consoleApp();

const stockOf = async (petId: number) => {
  const { body } = await app.call('GET', `/v1/inventory/${petId}`);
  return [body.quantity, body.reserved, body.available];
};

const place = async (body: object) =>
  (await app.call('POST', '/v1/store/orders', { body })).body.id as number;

test('an order is placed by keyboard alone, and does to stock what the form said', async () => {
  const { pets } = await stocked(app, { 'Quokka one': 5, 'Quokka two': 9 });
  const id = pets['Quokka two']!;
  const { page, requests } = await signIn(app, { path: '/orders/new' });
  const pet = page.getByRole('combobox', { name: 'Pet' });
  await pet.focus();
  await page.keyboard.type('quokka');
  await page.getByRole('option', { name: /Quokka two/ }).waitFor();
  await expect.poll(() => pet.getAttribute('aria-expanded')).toBe('true');
  await page.keyboard.press('ArrowDown');
  const active = await pet.getAttribute('aria-activedescendant');
  await expect
    .poll(() => page.locator(`[id="${active}"]`).getAttribute('aria-selected'))
    .toBe('true');
  await page.keyboard.press('Enter');
  await expect.poll(() => pet.inputValue()).toBe('Quokka two');
  // The list that was shown knows the name already.
  expect(requests.filter((each) => each.includes(`/v1/pets?id=${id}`))).toEqual([]);
  await expect.poll(() => pet.getAttribute('aria-expanded')).toBe('false');
  await page.getByLabel('Units', { exact: true }).fill('3');
  await page.getByText('9 → 6').waitFor();
  await page.getByText('0 → 3').waitFor();
  expect(await stockOf(id)).toEqual([9, 0, 9]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  expect(await stockOf(id)).toEqual([9, 3, 6]);
});

test('an order that is handed over takes its units at once', async () => {
  const { pets } = await stocked(app, { Wombat: 4 });
  const { page } = await signIn(app, { path: `/orders/new?petId=${pets.Wombat}` });
  await page.getByLabel('Already handed over').check();
  await page.getByText('4 → 3').first().waitFor();
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByText('This order is fulfilled and can no longer be changed.').waitFor();
  expect(await stockOf(pets.Wombat!)).toEqual([3, 0, 3]);
});

test('of two buyers of the last unit, one is shown that it is sold out and keeps the input', async () => {
  const { pets } = await stocked(app, { Numbat: 1 });
  const path = `/orders/new?petId=${pets.Numbat}`;
  const first = await signIn(app, { path });
  const second = await signIn(app, { path, statuses: [0, 409] });
  await second.page.getByText('1 → 0').waitFor();
  // The second one does not hear of the sale.
  await second.page.route('**/v1/inventory**', (route) => route.abort());
  await first.page.getByRole('button', { name: 'Create order' }).click();
  await first.page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  await second.page.getByRole('button', { name: 'Create order' }).click();
  await second.page.getByText('This just sold out. Nothing was changed.').waitFor();
  await expect.poll(() => second.page.getByRole('combobox').inputValue()).toBe('Numbat');
  await second.page.unrouteAll();
  expect(await stockOf(pets.Numbat!)).toEqual([1, 1, 0]);
});

test('what was sold out can be ordered by the same form once there is stock', async () => {
  const { pets } = await stocked(app, { Potoroo: 1 });
  const { page } = await signIn(app, {
    path: `/orders/new?petId=${pets.Potoroo}`,
    statuses: [0, 409],
  });
  await page.getByText('1 → 0').waitFor();
  await page.route('**/v1/inventory**', (route) => route.abort());
  const other = await place({ petId: pets.Potoroo });
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByText('This just sold out').waitFor();
  await app.call('DELETE', `/v1/store/orders/${other}`);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  expect(await stockOf(pets.Potoroo!)).toEqual([1, 1, 0]);
});

test('a double click and a lost answer place one order', async () => {
  const { pets } = await stocked(app, { Bilby: 9 });
  const { page } = await signIn(app, { path: `/orders/new?petId=${pets.Bilby}`, statuses: [0] });
  await page.getByText('9 → 8').waitFor();
  let lost = 0;
  await page.route('**/v1/store/orders', async (route) => {
    if (route.request().method() !== 'POST' || lost++ > 0) return route.continue();
    await reachService(route);
    await route.abort('connectionreset');
  });
  await page.getByRole('button', { name: 'Create order' }).dblclick();
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  expect(await stockOf(pets.Bilby!)).toEqual([9, 1, 8]);
});

test('leaving unsaved input asks once, and leaving without never asks', async () => {
  const { page } = await signIn(app, { path: '/orders/new' });
  await page.getByRole('link', { name: 'All orders' }).click();
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await page.goBack();
  await page.getByLabel('Units', { exact: true }).fill('4');
  await page.getByRole('link', { name: 'All orders' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect.poll(() => page.getByLabel('Units', { exact: true }).inputValue()).toBe('4');
  await page.getByRole('link', { name: 'All orders' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('rehearsing says what would happen and keeps nothing', async () => {
  const { pets } = await stocked(app, { Tapir: 2 });
  const id = await place({ petId: pets.Tapir, quantity: 2 });
  const { page, open } = await signIn(app, {
    path: `/orders/new?petId=${pets.Tapir}`,
    statuses: [409],
  });
  await page.getByText('None available.').waitFor();
  await open(`/orders/${id}`);
  await page.getByRole('button', { name: 'Fulfil' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('This would work').waitFor();
  expect(await stockOf(pets.Tapir!)).toEqual([2, 2, 0]);
  await app.call('PATCH', `/v1/store/orders/${id}`, { body: { complete: true } });
  expect(await stockOf(pets.Tapir!)).toEqual([0, 0, 0]);
});

test('changing, fulfilling and cancelling move stock as the dialog said before', async () => {
  const { pets } = await stocked(app, { Okapi: 9 });
  const petId = pets.Okapi!;
  const id = await place({ petId, quantity: 2 });
  const { page, open } = await signIn(app, { path: `/orders/${id}` });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Units', { exact: true }).fill('5');
  await dialog.getByText('2 → 5').waitFor();
  await dialog.getByText('7 → 4').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`Order ${id} saved.`).waitFor();
  expect(await stockOf(petId)).toEqual([9, 5, 4]);
  await page.getByText('reserved 2 → 5').waitFor();
  await page.getByRole('button', { name: 'Fulfil' }).click();
  await dialog.getByText('9 → 4').waitFor();
  await dialog.getByText('5 → 0').waitFor();
  await dialog.getByRole('button', { name: 'Fulfil', exact: true }).click();
  await page.getByText('This order is fulfilled and can no longer be changed.').waitFor();
  expect(await stockOf(petId)).toEqual([4, 0, 4]);
  const other = await place({ petId, quantity: 3 });
  await open(`/orders/${other}`);
  await page.getByRole('button', { name: 'Cancel order' }).click();
  await dialog.getByText('3 units of Okapi become available again.').waitFor();
  await dialog.getByText('1 → 4').waitFor();
  expect(await stockOf(petId)).toEqual([4, 3, 1]);
  await dialog.getByRole('button', { name: 'Cancel order' }).click();
  await page.getByText(`Order ${other} cancelled`).waitFor();
  await page.getByText('This order is cancelled and can no longer be changed.').waitFor();
  expect(await stockOf(petId)).toEqual([4, 0, 4]);
});

test('an order that someone else changed becomes a conflict, and cancelling it waits for a decision', async () => {
  const { pets } = await stocked(app, { Dingo: 9 });
  const id = await place({ petId: pets.Dingo, quantity: 1 });
  const { page } = await signIn(app, { path: `/orders/${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Cancel order' }).click();
  await page.getByText('1 unit of Dingo becomes available again.').waitFor();
  await app.call('PATCH', `/v1/store/orders/${id}`, { body: { quantity: 4 } });
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
  await page.getByText('Someone else changed this while you had it open.').waitFor();
  await page.getByText('reserved 1 → 4').first().waitFor();
  expect(await stockOf(pets.Dingo!)).toEqual([9, 4, 5]);
  await page.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText(`Order ${id} cancelled. 4 units of Dingo`).waitFor();
  expect(await stockOf(pets.Dingo!)).toEqual([9, 0, 9]);
});

test('the filters stand in the address: reload, back and a copied link show the same', async () => {
  const { pets } = await stocked(app, { 'Emu hen': 9, 'Emu cock': 9 });
  const late = await place({ petId: pets['Emu hen'], shipDate: '2020-01-05T10:00:00Z' });
  const other = await place({ petId: pets['Emu cock'] });
  const { page } = await signIn(app, { path: '/orders' });
  await page.getByRole('link', { name: `Order ${other}`, exact: true }).waitFor();
  await page.getByRole('combobox').fill('emu');
  await page.getByRole('option', { name: /Emu hen/ }).click();
  await page
    .getByRole('link', { name: `Order ${other}`, exact: true })
    .waitFor({ state: 'detached' });
  await page.getByText('was due').waitFor();
  await page.getByLabel('to', { exact: true }).fill('2020-01-05');
  await expect.poll(() => new URL(page.url()).search).toContain('shipDateTo=2020-01-05');
  await page.reload();
  await page.getByRole('link', { name: `Order ${late}`, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: `Order ${late}` }).waitFor();
  await page.getByRole('link', { name: 'All orders' }).click();
  await expect.poll(() => page.getByRole('combobox').inputValue()).toBe('Emu hen');
  expect(new URL(page.url()).search).toContain(`petId=${pets['Emu hen']}`);
  await page.getByRole('radio', { name: 'Fulfilled' }).check();
  await page.getByText('No orders found').waitFor();
});

test('an order that holds its units for a time says until when', async () => {
  const { pets } = await stocked(app, { Rhea: 9 });
  const { page } = await signIn(app, { path: `/orders/new?petId=${pets.Rhea}` });
  const holds = page.getByLabel('Reserved until');
  await holds.fill('2020-01-01T10:00');
  await page.getByText('Choose a time in the next 30 days').waitFor();
  const end = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await holds.fill(`${end}T10:00`);
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByText('If the order is still open then, it is cancelled and its units').waitFor();
  const id = Number(/orders\/(\d+)/.exec(page.url())![1]);
  const { body } = await app.call('GET', `/v1/store/orders/${id}`);
  expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
});

test('a key without write sees buttons that are off, and which scope is missing', async () => {
  const { pets } = await stocked(app, { Civet: 3 });
  const id = await place({ petId: pets.Civet });
  const { body } = await app.call('POST', '/v1/keys', { body: { name: 'eyes', scopes: ['read'] } });
  const { page, open } = await signIn(app, { key: body.key, path: `/orders/${id}` });
  const fulfil = page.getByRole('button', { name: 'Fulfil' });
  await fulfil.waitFor();
  await expect.poll(() => fulfil.getAttribute('aria-disabled')).toBe('true');
  await expect.poll(() => fulfil.getAttribute('title')).toContain('Needs the scope “write”');
  await open('/orders/new');
  await page.getByText('It needs the scope “write”').waitFor();
});

test('the first order of an empty store is one command away', async () => {
  const empty = await consoleApp();
  const { page, open } = await signIn(empty, { path: '/orders', statuses: [404] });
  await page.getByText('No open orders').waitFor();
  await expect.poll(() => page.locator('.empty pre').textContent()).toContain('/v1/store/orders');
  await open('/orders/12');
  await page.getByRole('heading', { level: 1, name: 'Order 12 not found' }).waitFor();
});

test('a change sends only what the user changed, also if someone else changed the rest meanwhile', async () => {
  const { pets } = await stocked(app, { Wombat: 9 });
  const id = await place({ petId: pets.Wombat, quantity: 2 });
  const { page } = await signIn(app, { path: `/orders/${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Units', { exact: true }).waitFor();
  await app.call('PATCH', `/v1/store/orders/${id}`, { body: { quantity: 5 } });
  // The page has heard of it.
  await dialog.getByText('5 units of Wombat').waitFor();
  await dialog.getByLabel('Ship date').fill('2030-01-02T10:00');
  await dialog.locator('button[type=submit]').click();
  await dialog.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText(`Order ${id} saved.`).waitFor();
  const { body } = await app.call('GET', `/v1/store/orders/${id}`);
  expect(body).toMatchObject({ quantity: 5, shipDate: '2030-01-02T09:00:00Z' });
});

test('clearing the filters empties the field of the pet', async () => {
  const { pets } = await stocked(app, { Numbat: 1 });
  const { page } = await signIn(app, { path: `/orders?petId=${pets.Numbat}` });
  const field = page.getByRole('combobox');
  await expect.poll(() => field.inputValue()).toBe('Numbat');
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await expect.poll(() => field.inputValue()).toBe('');
});

test('a step on an order of the list begins with what the step before made of it', async () => {
  const { pets } = await stocked(app, { Koala: 9 });
  const petId = pets.Koala!;
  const id = await place({ petId, quantity: 2 });
  const { page } = await signIn(app, { path: `/orders?petId=${petId}` });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: `Edit order ${id}` }).click();
  await dialog.getByLabel('Units', { exact: true }).fill('5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`Order ${id} saved.`).waitFor();
  await page.getByRole('button', { name: `Edit order ${id}` }).click();
  await dialog.getByLabel('Units', { exact: true }).waitFor();
  await expect.poll(() => dialog.getByLabel('Units', { exact: true }).inputValue()).toBe('5');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: `Fulfil order ${id}` }).click();
  await dialog.getByText('9 → 4').waitFor();
  await dialog.getByRole('button', { name: 'Fulfil', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await stockOf(petId)).toEqual([4, 0, 4]);
});

test('a number in the navigation goes when it is no longer true, and costs no request', async () => {
  const own = await consoleApp();
  const { pets } = await stocked(own, { Bandicoot: 9 });
  const body = { petId: pets.Bandicoot };
  const { body: order } = await own.call('POST', '/v1/store/orders', { body });
  const { page, requests } = await signIn(own);
  const orders = page
    .getByRole('navigation')
    .getByRole('link', { name: /^Orders/ })
    .first();
  await expect.poll(() => orders.textContent()).toBe('Orders1');
  await orders.click();
  await page.getByRole('button', { name: `Fulfil order ${order.id}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Fulfil', exact: true }).click();
  await page.getByText('No open orders').waitFor();
  await expect.poll(() => orders.textContent()).toBe('Orders');
  const counts = requests.filter((each) => /^GET .*complete=false.*limit=100/.test(each));
  expect(counts).toHaveLength(1);
  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.getByText('0 units reserved').waitFor();
  await expect.poll(() => orders.textContent()).toBe('Orders');
});

test('a step waits for the order that the step before made', async () => {
  const { pets } = await stocked(app, { Echidna: 9 });
  const petId = pets.Echidna!;
  const id = await place({ petId, quantity: 2 });
  const { page } = await signIn(app, { path: `/orders/${id}` });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await dialog.getByLabel('Units', { exact: true }).fill('5');
  const release = Promise.withResolvers<void>();
  await page.route(`**/v1/store/orders/${id}`, async (route) => {
    if (route.request().method() === 'GET') await release.promise;
    await route.continue().catch(() => {});
  });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`Order ${id} saved.`).waitFor();
  await page.getByRole('button', { name: 'Fulfil' }).click();
  await dialog.getByRole('status', { name: 'Loading' }).waitFor({ state: 'attached' });
  release.resolve();
  await dialog.getByText('9 → 4').waitFor();
  await dialog.getByRole('button', { name: 'Fulfil', exact: true }).click();
  await page.getByText('This order is fulfilled and can no longer be changed.').waitFor();
  expect(await stockOf(petId)).toEqual([4, 0, 4]);
  await page.unrouteAll({ behavior: 'wait' });
});
