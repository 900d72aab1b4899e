import { expect, test } from 'vitest';
import { signIn, stocked } from '../../support/console.ts';
import { limitedStore, stillApp } from '../../support/limited-store.ts';

const { app, clock, pass } = await stillApp();

test('a kept change that is taken back leaves the counts as they are', async () => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 9 }, store.key);
  await app.call('POST', '/v1/store/orders', {
    key: store.key,
    body: { petId: pets.Beagle, quantity: 4 },
  });
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: `/inventory?pet=${pets.Beagle}`,
    statuses: [429],
  });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Change').fill('-4');
  await store.useUp();
  await dialog.getByRole('button', { name: 'Adjust by −4' }).click();
  await dialog.getByText('Rate limit reached. Sending in').waitFor();
  // The row shows what will be; the form still says what the change does.
  await expect.poll(() => page.locator('.figures dd').allTextContents()).toEqual(['5', '4', '1']);
  await expect.poll(() => dialog.locator('.preview dd').first().textContent()).toBe('9 → 5');
  expect(await dialog.locator('[aria-invalid]').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('.figures dd').allTextContents()).toEqual(['9', '4', '5']);
});

test('a kept change whose form is corrected is not sent, and the corrected one is', async () => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 3 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: `/inventory?pet=${pets.Beagle}`,
    statuses: [429],
  });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Change').fill('6');
  await store.useUp();
  await dialog.getByRole('button', { name: 'Adjust by +6' }).click();
  await dialog.getByText('Rate limit reached. Sending in').waitFor();
  await dialog.getByLabel('Change').fill('16');
  await dialog.getByText('Rate limit reached. Sending in').waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('.figures dd').first().textContent()).toBe('3');
  await pass(page, 61_000);
  await page.getByText('Rate limit reached').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Adjust by +16' }).click();
  await page.getByText('Beagle: 19 on hand.').waitFor();
  const { body: ledger } = await app.call(
    'GET',
    `/v1/inventory/${pets.Beagle}/movements?sort=-id`,
    {
      key: store.key,
    },
  );
  expect(ledger[0]).toMatchObject({ quantityBefore: 3, quantityAfter: 19 });
});

test('a kept order that is corrected is not placed, and leaving it asks', async () => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 9 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: `/orders/new?petId=${pets.Beagle}`,
    statuses: [429],
  });
  await page.getByText('9 → 8').waitFor();
  await store.useUp();
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByText('Rate limit reached. Sending in').waitFor();
  await page.getByRole('link', { name: 'All orders' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  await page.getByLabel('Units', { exact: true }).fill('2');
  await page.getByText('Rate limit reached. Sending in').waitFor({ state: 'detached' });
  await pass(page, 61_000);
  await page.getByText('Rate limit reached').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  const { body: orders } = await app.call('GET', '/v1/store/orders?limit=10', { key: store.key });
  expect(orders).toMatchObject([{ quantity: 2 }]);
});

test('a kept count is not sent once its dialog is closed, and the corrected one is', async () => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 9, Corgi: 4 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/inventory/count',
    statuses: [429],
  });
  await page.getByRole('button', { name: 'Start counting' }).click();
  const dialog = page.getByRole('dialog', { name: 'Differences' });
  const sendUntilKept = async (count: string) => {
    await page.getByLabel('Count of Beagle').fill(count);
    await page.getByRole('button', { name: 'Review and send' }).click();
    await dialog.getByRole('button', { name: 'Send 1 change' }).click();
    await dialog.getByText('Rate limit reached. Sending in').waitFor();
  };
  await page.getByLabel('Count of Beagle').waitFor();
  await store.useUp();
  await sendUntilKept('5');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await sendUntilKept('6');
  await dialog.getByRole('button', { name: 'Keep counting' }).click();
  await page.getByLabel('Count of Beagle').fill('7');
  await pass(page, 61_000);
  await page.getByText('Rate limit reached').waitFor({ state: 'detached' });
  await page.getByText('1 of 2 counted · 1 differs').waitFor();
  await page.getByRole('button', { name: 'Review and send' }).click();
  await dialog.getByRole('button', { name: 'Send 1 change' }).click();
  await page.getByText('1 count saved.').waitFor();
  const ledger = `/v1/inventory/${pets.Beagle}/movements?sort=-id`;
  const { body } = await app.call('GET', ledger, { key: store.key });
  expect(body[0]).toMatchObject({ quantityBefore: 9, quantityAfter: 7 });
});

test('an import with more new categories than the minute has requests goes on in the next', async () => {
  const store = await limitedStore(app);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/catalogue',
    statuses: [429],
  });
  const rows = Array.from({ length: 130 }, (_, row) => `Pet ${row},Kind ${row}`);
  await page.getByRole('button', { name: 'Import' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'pets.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['name,category', ...rows].join('\n')),
  });
  await dialog.getByRole('button', { name: 'Import 130 rows' }).click();
  for (let minutes = 0; minutes < 2; minutes++) {
    await dialog.getByText('Rate limit reached. Sending in').waitFor();
    await pass(page, 61_000);
    await dialog.getByText('Rate limit reached').waitFor({ state: 'detached' });
  }
  await dialog.getByText('130 pets created.').waitFor();
  const { body } = await app.call('GET', '/v1/pets?limit=1&sort=-name', { key: store.key });
  expect(body[0].name).toBe('Pet 99');
});

test('a kept import is not sent when another file is chosen', async () => {
  const store = await limitedStore(app);
  const { key } = store;
  await app.call('POST', '/v1/categories', { key, body: { name: 'Moths' } });
  const { page } = await signIn(app, {
    key,
    time: clock.now(),
    path: '/catalogue',
    statuses: [429],
  });
  await page.getByRole('button', { name: 'Import CSV' }).click();
  const dialog = page.getByRole('dialog');
  const choose = (name: string) =>
    dialog.getByLabel('CSV file', { exact: true }).setInputFiles({
      name: 'pets.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`name,category\r\n${name},Moths\r\n`),
    });
  await choose('Lappet');
  await dialog.getByRole('button', { name: 'Import 1 row' }).waitFor();
  await store.useUp();
  await dialog.getByRole('button', { name: 'Import 1 row' }).click();
  await dialog.getByText('Rate limit reached. Sending in').waitFor();
  await choose('Eggar');
  await dialog.getByText('Rate limit reached. Sending in').waitFor({ state: 'detached' });
  await pass(page, 61_000);
  await page.getByText('Rate limit reached').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Import 1 row' }).click();
  await dialog.getByText('1 pet created.').waitFor();
  const { body: pets } = await app.call('GET', '/v1/pets', { key });
  expect(pets).toMatchObject([{ name: 'Eggar' }]);
});

test.each([
  {
    place: 'the detail of its pet',
    path: (id: number) => `/inventory?pet=${id}`,
    name: 'Hold',
  },
  { place: 'the catalogue', path: () => '/catalogue', name: 'Hold Beagle' },
])('a kept hold is sent although $place was left', async ({ path, name }) => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 3 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: path(pets.Beagle!),
    statuses: [429],
  });
  const hold = page.getByRole('button', { name, exact: true });
  await hold.waitFor();
  await store.useUp();
  await hold.click();
  await page.getByText('Your change will be sent in').waitFor();
  await page.getByRole('link', { name: 'Usage and limits' }).click();
  await page.getByRole('heading', { level: 1, name: 'Usage and limits' }).waitFor();
  await page.getByText('Your change will be sent in').waitFor();
  await pass(page, 61_000);
  await page.getByText('Beagle is on hold').waitFor();
  const { body } = await app.call('GET', `/v1/pets?id=${pets.Beagle}`, { key: store.key });
  expect(body[0].status).toBe('pending');
});

test('a kept hold of a session that was signed out is not sent by the next one', async () => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 3 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/catalogue',
    statuses: [429],
  });
  await page.getByRole('button', { name: 'Hold Beagle' }).waitFor();
  await store.useUp();
  await page.getByRole('button', { name: 'Hold Beagle' }).click();
  await page.getByText('Your change will be sent in').waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill(store.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Rate limit reached').waitFor();
  await page.getByText('Resumes in').waitFor();
  await pass(page, 61_000);
  await page.getByRole('link', { name: 'Beagle' }).waitFor();
  const { body } = await app.call('GET', `/v1/pets?id=${pets.Beagle}`, { key: store.key });
  expect(body[0].status).toBe('available');
});

test('a second change is refused while one is kept, and can be sent afterwards', async () => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 3, Collie: 3 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/catalogue',
    statuses: [429],
  });
  await page.getByRole('button', { name: 'Hold Beagle' }).waitFor();
  await store.useUp();
  await page.getByRole('button', { name: 'Hold Beagle' }).click();
  await page.getByText('Your change will be sent in').waitFor();
  await page.getByRole('button', { name: 'Hold Collie' }).click();
  await page.getByText('Not saved. Rate limit reached').waitFor();
  await pass(page, 61_000);
  await page.getByText('Beagle is on hold').waitFor();
  await page.getByRole('button', { name: 'Hold Collie' }).click();
  await page.getByText('Collie is on hold').waitFor();
  for (const id of Object.values(pets)) {
    const { body } = await app.call('GET', `/v1/pets?id=${id}`, { key: store.key });
    expect(body[0].status).toBe('pending');
  }
});

test('a category whose deletion was kept stays if its dialog is cancelled', async () => {
  const store = await limitedStore(app);
  const { categoryId } = await stocked(app, {}, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/catalogue/categories',
    statuses: [429],
  });
  await page.getByRole('button', { name: /^Delete Kind/ }).click();
  const dialog = page.getByRole('dialog');
  await store.useUp();
  await dialog.getByRole('button', { name: 'Delete category' }).click();
  await dialog.getByText('Rate limit reached. Sending in').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await pass(page, 61_000);
  await page.getByText('Rate limit reached').waitFor({ state: 'detached' });
  const { status } = await app.call('GET', `/v1/categories/${categoryId}`, { key: store.key });
  expect(status).toBe(200);
});
