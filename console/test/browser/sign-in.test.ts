import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, newTab, signIn, stocked } from '../support/console.ts';

const app = await consoleApp();

test('the printed key leads to the overview, and the address of the service leads to the console', async () => {
  const { page } = await newTab(app);
  await page.goto(app.address);
  expect(new URL(page.url()).pathname).toBe('/console');
  await page.getByLabel('API key').fill(app.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

test('a mistyped key is refused in the field, without a request', async () => {
  const { page, requests, open } = await newTab(app);
  await open('');
  const field = page.getByLabel('API key');
  await field.fill(`${app.key.slice(0, -1)}${app.key.endsWith('a') ? 'b' : 'a'}`);
  const before = requests.length;
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('incomplete or mistyped').waitFor();
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  expect(requests.length).toBe(before);
});

test('a revoked key is refused in words', async () => {
  const key = await app.addKey(['read']);
  const id = key.slice(4, 16);
  await app.call('DELETE', `/v1/keys/${id}`);
  const { page, open } = await newTab(app, { statuses: [401] });
  await open('');
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('invalid, revoked or expired').waitFor();
});

test('the key is nowhere in the browser after signing in', async () => {
  const { page, context, open } = await newTab(app);
  await open('');
  await page.getByLabel('API key').fill(app.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const kept = await page.evaluate(() => ({
    cookie: document.cookie,
    local: JSON.stringify(localStorage),
    session: JSON.stringify(sessionStorage),
    address: location.href,
    html: document.documentElement.outerHTML,
  }));
  expect(JSON.stringify(kept)).not.toContain(app.key);
  expect(kept.cookie).toBe('');
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({
    name: 'petstore_session',
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
  });
  expect(cookie!.value).not.toContain(app.key);
  const hours = (cookie!.expires * 1000 - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(11.9);
  expect(hours).toBeLessThanOrEqual(12.01);
});

test('a reload and a new tab keep the session; signing out ends it in all tabs', async () => {
  const { page, context } = await signIn(app);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const other = await context.newPage();
  await other.goto(`${app.address}/console`);
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const [cookie] = await context.cookies();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  await other.getByLabel('API key').waitFor();
  const headers = { cookie: `${cookie!.name}=${cookie!.value}`, 'sec-fetch-site': 'same-origin' };
  const answer = await app.call('GET', '/v1/session', { key: null, headers });
  expect(answer.status).toBe(401);
});

test('signing out in one tab covers what another has not saved, and loses nothing of it', async () => {
  const { pets } = await stocked(app, { Tapir: 4 });
  const { page, context } = await signIn(app, { statuses: [401] });
  const other = await context.newPage();
  await other.goto(`${app.address}/console/orders/new?petId=${pets.Tapir}`);
  await other.getByLabel('Customer').fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const dialog = other.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByText('Your changes are still here.').waitFor();
  const backdrop = await dialog.evaluate(
    (each) => getComputedStyle(each, '::backdrop').backgroundColor,
  );
  expect(backdrop).toMatch(/^rgb\(/);
  await dialog.getByLabel('API key').fill(app.key);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await expect.poll(() => other.getByLabel('Customer').inputValue()).toBe('Ada Lovelace');
  await other.getByLabel('Already handed over').check();
  await other.getByRole('button', { name: 'Create order' }).click();
  await other.getByText(/Order \d+ created: 1 unit of Tapir/).waitFor();
});

test('when the key is revoked the session ends at once; what was typed is still there after signing in again', async () => {
  const key = await app.addKey(['read', 'write']);
  const category = await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  const pet = await app.call('POST', '/v1/pets', {
    body: { name: 'Rex', categoryId: category.body.id },
  });
  const { page, open } = await signIn(app, { key, statuses: [401] });
  await open(`/inventory?pet=${pet.body.id}`);
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  await page.getByLabel('Reference').fill('PO-77');
  await app.call('DELETE', `/v1/keys/${key.slice(4, 16)}`);
  await page.getByRole('button', { name: 'Adjust by +1' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await page.getByLabel('API key').fill(app.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.getByLabel('Reference').inputValue()).toBe('PO-77');
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'hidden' });
  expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  await page.getByRole('button', { name: 'Adjust by +1' }).click();
  await page.getByText('Rex: 2 on hand.').waitFor();
  const { body } = await app.call('GET', `/v1/inventory/${pet.body.id}`);
  expect(body.quantity).toBe(2);
});

test('4.21 signing out first drops what is being read and the stream; both go on if it fails', async () => {
  const { page } = await signIn(app, { path: '/plan', statuses: [500] });
  const isStream = (request: Request) => request.url().includes('/events/stream');
  await page.waitForEvent('response', (response) => isStream(response.request()));
  // Answered when the session is over, it would be 401 and look as if the session had expired.
  await page.route('**/v1/store/orders?*', () => {});
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  const dropped = Promise.all([
    page.waitForEvent('requestfailed', (request) => request.url().includes('/store/orders')),
    page.waitForEvent('requestfailed', isStream),
  ]);
  await page.route('**/v1/session', async (route) => {
    await dropped;
    await page.unroute('**/v1/store/orders?*');
    await route.fulfill({ status: 500, json: { code: 'internal_error', message: 'It failed.' } });
  });
  await page.getByRole('button', { name: 'Account' }).click();
  const streamed = page.waitForEvent('request', isStream);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('It failed.').waitFor();
  await page.getByText('No open orders').waitFor();
  await streamed;
});

test('a sign-in in one tab ends the question in the others, and shows them the same store', async () => {
  const key = await app.addKey(['read', 'write']);
  await stocked(app, { Otter: 1 });
  const { page, context } = await signIn(app, { key, statuses: [401] });
  const other = await context.newPage();
  await other.goto(`${app.address}/console/catalogue`);
  await other.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
  await other.getByRole('link', { name: 'Otter' }).waitFor();
  await app.call('DELETE', `/v1/keys/${key.slice(4, 16)}`);
  for (const tab of [page, other]) {
    await tab.locator('nav').getByRole('link', { name: 'Ledger', exact: true }).first().click();
    await tab.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  }
  await page.getByLabel('API key').fill(await app.addWorkspace());
  await page.getByRole('button', { name: 'Sign in' }).click();
  for (const tab of [page, other]) {
    await tab
      .getByRole('heading', { name: 'Your session has ended' })
      .waitFor({ state: 'detached' });
    await tab.getByText('No stock changes yet').waitFor();
  }
  await other.getByRole('link', { name: 'Catalogue' }).first().click();
  await other.getByText('No pets yet').waitFor();
});

test('a key of another store takes nothing over that was on the screen', async () => {
  const key = await app.addKey(['read', 'write']);
  const { pets } = await stocked(app, { Wombat: 3 });
  const { page, requests, open } = await signIn(app, {
    key,
    path: '/inventory/count',
    statuses: [401],
  });
  await page.getByRole('button', { name: 'Start counting' }).click();
  await page.getByLabel('Count of Wombat').fill('2');
  await open(`/orders/new?petId=${pets.Wombat}`);
  await page.getByLabel('Customer').fill('Ada Lovelace');
  await app.call('DELETE', `/v1/keys/${key.slice(4, 16)}`);
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByLabel('API key').fill(await app.addWorkspace());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.getByLabel('Customer').inputValue()).toBe('');
  await page.getByRole('link', { name: 'Inventory', exact: true }).click();
  await page.getByRole('link', { name: 'Count stock' }).click();
  await page.getByRole('button', { name: 'Start counting' }).waitFor();
  expect(requests.filter((each) => each.startsWith('POST /v1/store'))).toHaveLength(1);
});

test('a session that ended while the service was away leaves what was typed', async () => {
  const key = await app.addKey(['read', 'write']);
  const { page } = await signIn(app, { key, path: '/orders/new', statuses: [401, 0] });
  await page.getByLabel('Units', { exact: true }).fill('7');
  await page.route('**/v1/**', (route) => route.abort());
  await page.getByRole('combobox', { name: 'Pet' }).fill('rex');
  await page.getByText('The service does not answer.').waitFor();
  await app.call('DELETE', `/v1/keys/${key.slice(4, 16)}`);
  await page.unroute('**/v1/**');
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await expect.poll(() => page.getByLabel('Units', { exact: true }).inputValue()).toBe('7');
});

test('an export that finds the session ended asks for a key', async () => {
  const key = await app.addKey(['read']);
  await stocked(app, { Mink: 1 });
  const { page } = await signIn(app, { key, path: '/catalogue', statuses: [401] });
  await page.getByRole('link', { name: 'Mink' }).waitFor();
  // Nothing else finds out first.
  await page.route('**/v1/{usage,events}**', () => {});
  await app.call('DELETE', `/v1/keys/${key.slice(4, 16)}`);
  await page.getByRole('button', { name: 'Export CSV' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await page.getByLabel('API key').fill(app.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'hidden' });
  expect(await page.locator('.toast').allTextContents()).toEqual([]);
});
