// Pets by the reference of another system: typed, scanned, and in the palette.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { 'Zebra finch': 9, Okapi: 4, Tapir: 4 });
await app.call('PATCH', `/v1/pets/${pets.Okapi}`, { body: { reference: 'WH-4711' } });
const order = await app.call('POST', '/v1/store/orders', {
  body: { petId: pets.Tapir, customer: 'Grace Hopper', reference: 'WEB-2001' },
});

test('a scanner types a reference and Enter, which chooses its pet and sends nothing else', async () => {
  const { page, requests } = await signIn(app, { path: '/orders/new' });
  const field = page.getByRole('combobox', { name: 'Pet' });
  await field.focus();
  await page.keyboard.type('WH-4711');
  await page.keyboard.press('Enter');
  await page.getByText('4 → 3').waitFor();
  await expect.poll(() => field.inputValue()).toBe('Okapi');
  expect(await page.locator('.combobox').getByRole('status').textContent()).toBe('');
  await page.getByRole('button', { name: 'Add pet' }).click();
  await page.keyboard.type('WH-9999');
  await page.keyboard.press('Enter');
  await page.getByText('No pet found for “WH-9999”.').waitFor();
  expect(requests.filter((each) => each.startsWith('POST'))).toEqual([]);
});

test('Enter right after words waits for their answer, and chooses the one pet that they mean', async () => {
  await stocked(app, {
    'Labrador Puppy, Black': 6,
    'Labrador Puppy, Brown': 7,
    'Tern arctic chick': 2,
    'Tern arctic': 3,
  });
  const { page, requests } = await signIn(app, { path: '/orders/new' });
  const field = page.getByRole('combobox', { name: 'Pet', exact: true });
  const enter = async (text: string) => {
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  await field.focus();
  await enter('black labrador');
  await page.getByText('6 → 5').waitFor();
  await expect.poll(() => field.inputValue()).toBe('Labrador Puppy, Black');
  // The list still shows what an earlier text found.
  await field.fill('tern');
  await page.getByRole('option', { name: /Tern arctic chick/ }).waitFor();
  await enter(' arctic');
  await page.getByText('3 → 2').waitFor();
  await expect.poll(() => field.inputValue()).toBe('Tern arctic');
  // Of two pets none is chosen until the list is there to choose from.
  await field.fill('');
  await enter('puppy labrador');
  await page.getByRole('option', { name: /Brown 7 available/ }).waitFor();
  await expect.poll(() => field.inputValue()).toBe('puppy labrador');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('7 → 6').waitFor();
  expect(requests.filter((each) => each.startsWith('POST'))).toEqual([]);
});

test('by touch: a reference that is typed offers its pet with its units', async () => {
  const { page } = await signIn(app, {
    path: '/orders/new',
    width: 390,
    context: { hasTouch: true, isMobile: true },
  });
  await page.getByRole('combobox', { name: 'Pet' }).fill('WH-4711');
  await page.getByRole('option', { name: 'Okapi 4 available' }).tap();
  await page.getByText('4 → 3').waitFor();
});

test('the palette does things, and finds records by name, number and reference', async () => {
  const { page } = await signIn(app);
  const { keyboard } = page;
  const search = page.getByRole('combobox', { name: 'Search' });
  const heading = (name: string | RegExp, level = 1) =>
    page.getByRole('heading', { level, name }).waitFor();
  const choose = async (text: string, option: RegExp) => {
    await keyboard.press('Control+k');
    await search.waitFor();
    await keyboard.type(text);
    await page.getByRole('option', { name: option }).waitFor();
    await keyboard.press('Enter');
    await search.waitFor({ state: 'detached' });
  };
  await choose('wh-4711'.toUpperCase(), /^Okapi/);
  await heading('Okapi', 2);
  await choose('hopp', /Grace Hopper/);
  await heading(`Order ${order.body.id}`);
  await choose('web-2001', /Grace Hopper/);
  await choose('create ord', /Create order/);
  await heading('Create order');
  await choose('count', /Count stock/);
  await heading('Count stock');
  await choose('adjust', /Adjust stock/);
  await heading('Adjust stock', 2);
  await expect
    .poll(() => page.getByRole('dialog').getByRole('combobox', { name: 'Pet' }).count())
    .toBe(1);
  await keyboard.press('Escape');
  await choose('api key', /API keys/);
  await heading('API keys');
  await choose('create api', /Create API key/);
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await keyboard.press('Escape');
  await choose('sign out', /Sign out/);
  // The screen of the keys may still be there.
  await page.getByLabel('API key', { exact: true }).waitFor();
});

test('the palette does not say that there is nothing before it knows', async () => {
  const { page, context } = await signIn(app, { statuses: [0] });
  const search = page.getByRole('combobox', { name: 'Search' });
  const dialog = page.getByRole('dialog');
  await page.keyboard.press('Control+k');
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/{pets,store/orders}?q=*', async (route) => {
    await promise;
    await route.continue();
  });
  await search.fill('okapi');
  await dialog.getByText('Searching …').waitFor();
  expect(await dialog.getByText('No results.').count()).toBe(0);
  resolve();
  await dialog.getByRole('option', { name: /Okapi/ }).waitFor();
  await search.fill('unicorn');
  await dialog.getByText('No results.').waitFor();
  await context.setOffline(true);
  await search.fill('tapir');
  await dialog.getByText('You are offline').waitFor();
  expect(await dialog.getByText('No results.').count()).toBe(0);
  await context.setOffline(false);
  await dialog.getByRole('option', { name: /Tapir/ }).waitFor();
});
