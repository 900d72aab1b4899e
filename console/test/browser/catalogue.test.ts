import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../support/console.ts';

const app = await consoleApp();

const petOf = async (id: number) => (await app.call('GET', `/v1/pets?id=${id}`)).body[0];
const search = (name: string) => `/catalogue?name=${encodeURIComponent(name)}`;

test('a new name shows at once, before the service has answered', async () => {
  const { pets } = await stocked(app, { Heron: 1 });
  const { page } = await signIn(app, { path: search('heron') });
  let release = () => {};
  const answered = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.getByRole('button', { name: 'Edit Heron' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Heron, grey');
  await page.route('**/v1/pets/*', async (route) => {
    if (route.request().method() === 'PATCH') await answered;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Heron, grey' }).waitFor();
  await page.getByRole('status').getByText('Saving …').waitFor();
  expect((await petOf(pets.Heron!)).name).toBe('Heron');
  release();
  await page.getByText('Heron, grey saved.').waitFor();
  expect((await petOf(pets.Heron!)).name).toBe('Heron, grey');
  await page.unrouteAll({ behavior: 'wait' });
});

test('a refused move is put back, and the row says why', async () => {
  const { pets, categoryId } = await stocked(app, { Stork: 1 });
  const other = await app.call('POST', '/v1/categories', { body: { name: 'Soon gone' } });
  const { page } = await signIn(app, { path: search('stork'), statuses: [400] });
  await page.getByRole('button', { name: 'Edit Stork' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Category').selectOption(String(other.body.id));
  await app.call('DELETE', `/v1/categories/${other.body.id}`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved.').waitFor();
  expect((await petOf(pets.Stork!)).categoryId).toBe(categoryId);
});

test('a pet that someone else renamed becomes a conflict, and the input stays', async () => {
  const { pets } = await stocked(app, { Crane: 1 });
  const { page } = await signIn(app, { path: search('crane'), statuses: [412] });
  await page.getByRole('button', { name: 'Edit Crane' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Crane of mine');
  await app.call('PATCH', `/v1/pets/${pets.Crane}`, { body: { name: 'Crane of theirs' } });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Someone else changed this while you had it open.').first().waitFor();
  await dialog.getByRole('cell', { name: 'Crane of theirs' }).waitFor();
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Crane of mine');
  expect((await petOf(pets.Crane!)).name).toBe('Crane of theirs');
  await dialog.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Crane of mine saved.').waitFor();
  expect((await petOf(pets.Crane!)).name).toBe('Crane of mine');
});

test('a new name stays typed when the session has ended, and is saved after signing in', async () => {
  const { pets } = await stocked(app, { Dunlin: 1 });
  const { body: own } = await app.call('POST', '/v1/keys', {
    body: { name: 'mine', scopes: ['read', 'write'] },
  });
  const { page } = await signIn(app, { key: own.key, path: search('dunlin'), statuses: [401] });
  await page.getByRole('button', { name: 'Edit Dunlin' }).click();
  const form = page.getByRole('dialog', { name: 'Edit pet' });
  await form.getByLabel('Name').fill('Dunlin, small');
  await app.call('DELETE', `/v1/keys/${own.id}`);
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await page.getByLabel('API key', { exact: true }).fill(app.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({
    state: 'detached',
  });
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Dunlin, small');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Dunlin, small saved.').waitFor();
  expect((await petOf(pets.Dunlin!)).name).toBe('Dunlin, small');
});

test('4.15 a hold is put on and lifted, and not offered to be lifted where units are only reserved', async () => {
  const { pets } = await stocked(app, { Ibis: 2 });
  const { page } = await signIn(app, {
    path: search('ibis'),
    time: Date.now(),
  });
  await page.getByRole('button', { name: 'Hold Ibis' }).click();
  await page.getByText('Ibis is on hold').waitFor();
  expect((await petOf(pets.Ibis!)).status).toBe('pending');
  await page.getByRole('button', { name: 'Remove hold from Ibis' }).click();
  await page.getByText('Ibis can be ordered again.').waitFor();
  await app.call('POST', '/v1/store/orders', { body: { petId: pets.Ibis, quantity: 2 } });
  // The events of the two changes before keep the page from reading again for so long.
  await page.clock.fastForward(15_000);
  await page.getByText('Pending', { exact: true }).last().waitFor();
  const hold = page.getByRole('button', { name: 'Hold Ibis' });
  await expect.poll(() => hold.getAttribute('aria-disabled')).toBe('true');
  await hold.click({ force: true });
  await page.getByRole('status').getByText('All units are reserved for open orders').waitFor();
  expect(await page.getByRole('button', { name: 'Remove hold from Ibis' }).count()).toBe(0);
});

test('a pet cannot be changed until its hold is answered, so no change of it is dropped', async () => {
  const { pets } = await stocked(app, { Egret: 2 });
  const { page } = await signIn(app, { path: search('egret') });
  const answered = Promise.withResolvers<void>();
  const edit = page.getByRole('button', { name: 'Edit Egret' });
  await edit.waitFor();
  await page.route('**/v1/pets/*', async (route) => {
    await answered.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Hold Egret' }).click();
  await page.getByText('Saving …').waitFor();
  await expect.poll(() => edit.isDisabled()).toBe(true);
  const lift = page.getByRole('button', { name: 'Remove hold from Egret' });
  await expect.poll(() => lift.isDisabled()).toBe(true);
  await expect
    .poll(() => lift.getAttribute('title'))
    .toBe('Another change to this pet is still being saved.');
  answered.resolve();
  await expect.poll(() => edit.isDisabled()).toBe(false);
  await edit.click();
  await page.getByRole('dialog').getByLabel('Name').fill('Egret, white');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Egret, white saved.').waitFor();
  expect(await petOf(pets.Egret!)).toMatchObject({ name: 'Egret, white', status: 'pending' });
  await page.unrouteAll({ behavior: 'wait' });
});

test('deleting says what goes with the pet, and what is in the way', async () => {
  const { pets } = await stocked(app, { Kite: 3 });
  const { body: order } = await app.call('POST', '/v1/store/orders', {
    body: { petId: pets.Kite },
  });
  const { page } = await signIn(app, { path: search('kite') });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Delete Kite' }).click();
  await dialog.getByText('1 unit is reserved for open orders').waitFor();
  await expect
    .poll(() => dialog.getByRole('button', { name: 'Delete pet' }).isDisabled())
    .toBe(true);
  await dialog.getByRole('link', { name: 'View orders' }).click();
  await page.getByRole('link', { name: `Order ${order.id}`, exact: true }).waitFor();
  await app.call('DELETE', `/v1/store/orders/${order.id}`);
  await page.goBack();
  await page.getByRole('button', { name: 'Delete Kite' }).click();
  await dialog.getByText('Its stock of 3 units').waitFor();
  await dialog.getByRole('button', { name: 'Delete pet' }).click();
  await page.getByText('Kite deleted.').waitFor();
  expect(await petOf(pets.Kite!)).toBeUndefined();
});

test('a pet that is deleted already is said to be gone once', async () => {
  const { pets } = await stocked(app, { Whippet: 0 });
  const { page } = await signIn(app, { path: '/catalogue?name=whippet', statuses: [0, 404] });
  // The page does not hear of the deletion.
  await page.route('**/v1/events/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Delete Whippet' }).click();
  const dialog = page.getByRole('dialog');
  const action = dialog.locator('button[type=submit]');
  await action.waitFor();
  await app.call('DELETE', `/v1/pets/${pets.Whippet}`);
  const read = page.waitForResponse((response) => /inventory\/\d+$/.test(response.url()));
  await action.click();
  await read;
  await dialog.getByText('no longer exists').waitFor();
  await expect.poll(() => dialog.getByText('no longer exists').count()).toBe(1);
});

test('a pet is created with what the dialog said, and a hostile name is text', async () => {
  const { body: category } = await app.call('POST', '/v1/categories', { body: { name: 'Owls' } });
  const { page } = await signIn(app, { path: `/catalogue?categoryId=${category.id}` });
  await page.getByText('No pets found').waitFor();
  await page.getByRole('button', { name: 'New pet' }).click();
  const dialog = page.getByRole('dialog');
  const name = '<img src=x onerror="document.title=1">';
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('radio', { name: 'Sold out' }).check();
  await dialog.getByText('Starts with no stock.').waitFor();
  await dialog.getByRole('button', { name: 'Create pet' }).click();
  await page.getByRole('link', { name }).waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  const { body } = await app.call('GET', `/v1/pets?categoryId=${category.id}`);
  expect(body).toMatchObject([{ name, status: 'sold' }]);
});

test('4.18 a file is imported in one request; each refused row says why', async () => {
  const { body: category } = await app.call('POST', '/v1/categories', { body: { name: 'Moths' } });
  const { page, requests } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'Import CSV' }).click();
  const good = Array.from({ length: 120 }, (_, index) => `Moth ${index},moths,`);
  const rows = ['name,category,status', 'A,Dragons,', 'B,moths,wild', 'C,999999,', ...good];
  const buffer = Buffer.from(rows.join('\r\n'));
  const dialog = page.getByRole('dialog');
  await dialog
    .getByLabel('CSV file', { exact: true })
    .setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer });
  await dialog.getByText('It costs 3 requests of the plan').waitFor();
  await dialog.getByText('1 category will be created first: Dragons.').waitFor();
  await dialog.getByText('“wild” is not a status').waitFor();
  await dialog.getByRole('button', { name: 'Import 122 rows' }).click();
  await dialog.getByText('121 pets created.').waitFor();
  const refused = dialog.getByRole('table', { name: 'Rows that were not imported' });
  await expect.poll(() => refused.getByRole('row').count()).toBe(3);
  await refused.getByText('“wild” is not a status').waitFor();
  await refused.getByText('names no category').waitFor();
  expect(requests.filter((each) => each.startsWith('POST /v1/pets'))).toEqual([
    'POST /v1/pets/batch',
  ]);
  const { body } = await app.call('GET', `/v1/pets?categoryId=${category.id}&limit=100`);
  expect(body).toHaveLength(100);
});

test('an import that creates nothing is not shown as done', async () => {
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'Import CSV' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CSV file', { exact: true }).setInputFiles({
    name: 'pets.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('name,category\nA,999999'),
  });
  await dialog.getByRole('button', { name: 'Import 1 row' }).click();
  await dialog.locator('.notice.bad').getByText('No pet was created.').waitFor();
  await dialog.getByText('1 row was not imported:').waitFor();
  await expect.poll(() => dialog.locator('.notice.good').count()).toBe(0);
});

test('a file that cannot be read says why, and sends nothing', async () => {
  const { page, requests } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'Import CSV' }).click();
  const buffer = Buffer.from('name,category\n"open,Dogs\n');
  await page
    .getByLabel('CSV file', { exact: true })
    .setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer });
  await page.getByText('opens in line 2 is never closed').waitFor();
  expect(await page.getByRole('button', { name: /^Import \d/ }).count()).toBe(0);
  expect(requests.filter((each) => each.startsWith('POST /v1/pets'))).toEqual([]);
});

test('categories are created, renamed, described and deleted; one in use is refused in words', async () => {
  const { page } = await signIn(app, { path: '/catalogue/categories', statuses: [409, 412] });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New category' }).click();
  await dialog.getByLabel('Name').fill('Frogs');
  await dialog.getByRole('button', { name: 'Create category' }).click();
  await page.getByText('Category Frogs created.').waitFor();
  const { body } = await app.call('GET', '/v1/categories?name=frogs');
  const { id } = body[0];
  await app.call('POST', '/v1/pets', { body: { name: 'Tree frog', categoryId: id } });
  await page.getByLabel('Name', { exact: true }).fill('frogs');
  await page.getByRole('button', { name: 'Edit Frogs' }).click();
  await dialog.getByLabel('Description').fill('They jump.');
  await app.call('PATCH', `/v1/categories/${id}`, { body: { description: 'They swim.' } });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('cell', { name: 'They swim.' }).waitFor();
  await dialog.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Category Frogs saved.').waitFor();
  expect((await app.call('GET', `/v1/categories/${id}`)).body.description).toBe('They jump.');
  await page.getByRole('button', { name: 'Delete Frogs' }).click();
  await dialog.getByRole('button', { name: 'Delete category' }).click();
  await dialog.getByText('This category still has pets.').waitFor();
  await dialog.getByRole('link', { name: 'View its pets' }).click();
  await page.getByRole('link', { name: 'Tree frog' }).waitFor();
});

test('name, category and status stand in the address', async () => {
  const { categoryId } = await stocked(app, { 'Lark one': 1, 'Lark two': 0 });
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByLabel('Name', { exact: true }).fill('lark');
  await page.getByRole('link', { name: 'Lark one' }).waitFor();
  await page.getByLabel('Category', { exact: true }).selectOption(String(categoryId));
  await page.getByRole('radio', { name: 'Sold out' }).check();
  await page.getByRole('link', { name: 'Lark one' }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('link', { name: 'Lark two' }).waitFor();
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('lark');
  await page.goBack();
  await page.getByRole('link', { name: 'Lark one' }).waitFor();
});

test('a dialog stays with its input when the row of its pet leaves the list', async () => {
  const { pets } = await stocked(app, { Plover: 2, 'Plover hen': 2 });
  const id = pets.Plover!;
  const { page } = await signIn(app, { path: '/catalogue?name=plover&status=available' });
  await page.getByRole('button', { name: 'Edit Plover', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Plover, golden');
  await app.call('PATCH', `/v1/pets/${id}`, { body: { status: 'pending' } });
  // The page has heard of it.
  await page.locator(`main a[href$="pet=${id}"]`).waitFor({ state: 'detached' });
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Plover, golden');
  // Its status is no field of the form, so there is no question about it.
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Plover, golden saved.').waitFor();
  expect(await petOf(id)).toMatchObject({ name: 'Plover, golden', status: 'pending' });
});
