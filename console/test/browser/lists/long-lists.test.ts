// A store with more categories and keys than one page of the API holds.

import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../../support/console.ts';
import { limitedStore } from '../../support/limited-store.ts';

const app = await consoleApp();

const MANY = 150;
const ids: number[] = [];
for (let index = 1; index <= MANY; index++) {
  const { body } = await app.call('POST', '/v1/categories', { body: { name: `Kind ${index}` } });
  ids.push(body.id);
}
const last = String(ids.at(-1));

test('the last category can be filtered by, named and chosen', async () => {
  await app.call('POST', '/v1/pets', { body: { name: 'Axolotl', categoryId: Number(last) } });
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('link', { name: 'Axolotl' }).waitFor();
  await page.getByLabel('Category', { exact: true }).selectOption(last);
  await page.getByRole('row', { name: /Axolotl.*Kind 150/ }).waitFor();
  await page.getByRole('button', { name: 'New pet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Olm');
  await dialog.getByLabel('Category').selectOption({ label: 'Kind 149' });
  await dialog.getByRole('button', { name: 'Create pet' }).click();
  await page.getByText('Olm created.').waitFor();
  const { body } = await app.call('GET', '/v1/pets?name=Olm');
  expect(body).toMatchObject([{ categoryId: ids.at(-2) }]);
  await page.goto(`${app.address}/console/inventory?name=axolotl`);
  await page.getByText('Kind 150').waitFor();
});

test('a file may name the last category', async () => {
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'Import CSV' }).click();
  const buffer = Buffer.from('name,category\r\nSiren,Kind 150\r\n');
  const dialog = page.getByRole('dialog');
  await dialog
    .getByLabel('CSV file', { exact: true })
    .setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer });
  await dialog.getByRole('button', { name: 'Import 1 row' }).click();
  await dialog.getByText('1 pet created.').waitFor();
  const { body } = await app.call('GET', '/v1/pets?name=Siren');
  expect(body).toMatchObject([{ categoryId: Number(last) }]);
});

test('the ledger can be filtered by any key, and names it', async () => {
  for (let index = 0; index < MANY; index++) await app.addKey(['read']);
  const { body: made } = await app.call('POST', '/v1/keys', {
    body: { name: 'Till', scopes: ['write'] },
  });
  // Keys are listed by their ids, which are random.
  const { id, name, key } = await lastKey(made);
  const pet = await app.call('POST', '/v1/pets', {
    key,
    body: { name: 'Newt', categoryId: Number(last) },
  });
  expect(pet.status).toBe(201);
  const { page, requests } = await signIn(app, { path: `/ledger?petId=${pet.body.id}` });
  await page.getByLabel('Key', { exact: true }).selectOption(id);
  await page.getByRole('row', { name: new RegExp(`Newt.*${name}`) }).waitFor();
  requests.length = 0;
  await page.goto(`${app.address}/console`);
  await page.getByRole('table', { name: 'Latest stock changes' }).waitFor();
  expect(requests.filter((each) => each.startsWith('GET /v1/keys'))).toHaveLength(1);
});

test('all keys are listed, and the own one and its session are known', async () => {
  const { key } = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  for (let index = 1; index <= 120; index++) {
    const body = { name: `Till ${index}`, scopes: ['read'] };
    await app.call('POST', '/v1/keys', { key, body });
  }
  const { page } = await signIn(app, { key, path: '/keys' });
  const list = page.getByRole('table', { name: 'API keys' });
  await list.waitFor();
  // The first key and the heading.
  await expect.poll(() => list.getByRole('row').count()).toBe(122);
  await page.getByText('This session', { exact: true }).waitFor();
  const own = list.getByRole('row', { name: /You signed in with this/ });
  await own.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByText('1 session opened with this key is signed out.').waitFor();
  await page.getByText('You signed in with this key. You will be signed out.').waitFor();
});

test('the overview names the pets of the latest movements, however many pets are low', async () => {
  const { key } = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { body: category } = await app.call('POST', '/v1/categories', {
    key,
    body: { name: 'Snails' },
  });
  const pets = Array.from({ length: 110 }, (_, index) => ({
    name: `Snail ${index + 1}`,
    categoryId: category.id,
    status: 'sold',
  }));
  await app.call('POST', '/v1/pets/batch', { key, body: { pets } });
  const { page } = await signIn(app, { key });
  const movements = page.getByRole('table', { name: 'Latest stock changes' });
  await movements.waitFor();
  await expect
    .poll(() => movements.getByRole('link').allTextContents())
    .toEqual([110, 109, 108, 107, 106, 105].map((number) => `Snail ${number}`));
  await expect
    .poll(() =>
      page
        .locator('.needs')
        .getByText(/^Snail \d+: sold out/)
        .count(),
    )
    .toBe(3);
});

/** Makes keys until one is beyond the first page. */
async function lastKey(made: { id: string; name: string; key: string }) {
  const { body: first } = await app.call('GET', '/v1/keys?limit=100');
  if (!first.some(({ id }: { id: string }) => id === made.id)) return made;
  const { body: next } = await app.call('POST', '/v1/keys', {
    body: { name: made.name, scopes: ['write'] },
  });
  return lastKey(next);
}
