import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';
import { settle } from '../../support/go-to.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { Beagle: 3 });
const petId = pets.Beagle!;
const refused = await app.call('POST', '/v1/store/orders', {
  body: { petId, quantity: 99 },
  headers: { 'x-request-id': 'shop/too-many' },
});
expect(refused.body.code).toBe('insufficient_stock');
const placed = await app.call('POST', '/v1/store/orders', { body: { petId } });
const updated = await app.call('PATCH', `/v1/store/orders/${placed.body.id}`, {
  body: { quantity: 2 },
});
const updatedId = updated.headers.get('x-request-id')!;

test('every request that wrote or failed is listed with its status, code, key, duration and way', async () => {
  const { page, requests } = await signIn(app, { path: '/requests' });
  const row = page.getByRole('row').filter({ hasText: 'insufficient_stock' });
  await row.getByText('/store/orders').waitFor();
  const text = (await row.textContent())!;
  for (const part of ['POST', '409', 'first key', 'API', ' ms']) expect(text).toContain(part);
  // The plan counts no read of the log.
  expect(requests.filter((each) => each.startsWith('GET /v1/requests'))).toHaveLength(1);
});

test('filters are in the address, and a copied link shows the same rows', async () => {
  const { page, open } = await signIn(app, { path: '/requests' });
  const rows = page.locator('main tbody tr');
  await rows.first().waitFor();
  await page.getByLabel('Status').selectOption('4xx');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('Status').selectOption('');
  await page.getByLabel('Operation').fill('updateOrder');
  await expect.poll(() => new URL(page.url()).search).toBe('?operationId=updateOrder');
  await expect.poll(() => rows.count()).toBe(1);
  await open('/requests?status=409&code=insufficient_stock&operationId=placeOrder');
  await expect.poll(() => rows.count()).toBe(1);
  await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('409');
  await expect.poll(() => page.getByLabel('Error code').inputValue()).toBe('insufficient_stock');
  await open('/requests?from=2020-01-01&to=2020-01-02');
  await page.getByText('No request matches these filters.').waitFor();
  // What is no status is left out, and the service is not asked for it.
  await open('/requests?status=lots');
  await expect.poll(() => rows.count()).toBeGreaterThan(2);
});

test('5.2 a press on “When” turns the order of the rows', async () => {
  const { page } = await signIn(app, { path: '/requests?status=4xx&from=2020-01-01' });
  const heading = page.getByRole('columnheader', { name: 'When' });
  await expect.poll(() => heading.getAttribute('aria-sort')).toBe('descending');
  await page.getByLabel('Status').selectOption('');
  const rows = page.locator('main tbody a[data-row]');
  const hrefs = () => rows.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  await expect.poll(() => rows.count()).toBeGreaterThan(3);
  const newest = await hrefs();
  await heading.getByRole('link').click();
  await expect.poll(() => heading.getAttribute('aria-sort')).toBe('ascending');
  await expect.poll(hrefs).toEqual(newest.toReversed());
});

test('a page of the list is bounded, and the next one continues it', async () => {
  const own = await consoleApp();
  for (let sent = 0; sent < 45; sent++) {
    await own.call('POST', '/v1/categories', { body: { name: `Kind ${sent}` } });
  }
  const { page } = await signIn(own, { path: '/requests?operationId=createCategory' });
  const links = page.locator('main tbody a[data-row]');
  const seen = new Set<string | null>();
  for (const rows of [20, 20, 5]) {
    await expect.poll(() => links.count()).toBe(rows);
    for (const link of await links.all()) seen.add(await link.getAttribute('href'));
    if (rows === 20) {
      const first = await links.first().getAttribute('href');
      await page.getByRole('link', { name: 'Next' }).click();
      await expect.poll(() => links.first().getAttribute('href')).not.toBe(first);
    }
  }
  expect(seen.size).toBe(45);
});

test('a request has a page with every field, and leads to its order and to similar requests', async () => {
  const { page } = await signIn(app, { path: `/requests/${encodeURIComponent(updatedId)}` });
  await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
  await settle(page);
  const { body } = await app.call('GET', `/v1/requests/${updatedId}`);
  const shown = (await page.locator('main').textContent())!;
  for (const value of [body.id, body.status, body.operationId, body.route, body.address]) {
    expect(shown).toContain(String(value));
  }
  await page.getByRole('link', { name: 'View order' }).click();
  await page.getByRole('heading', { level: 1, name: `Order ${placed.body.id}` }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Operation updateOrder' }).click();
  await page.waitForURL(/operationId=updateOrder/);
});

test('a key without manage sees no address of a client', async () => {
  const key = await app.addKey(['read']);
  const { page } = await signIn(app, { key, path: `/requests/${updatedId}` });
  await page.getByText('Request ID').waitFor();
  expect(await page.getByText('Network').count()).toBe(0);
});

test('a request that is not kept says why in one sentence, and is found once it is there', async () => {
  const { page } = await signIn(app, { path: '/requests/later', statuses: [404] });
  await page.getByText('No record of this request').waitFor();
  await page.getByText('Successful reads are not stored').waitFor();
  await app.call('POST', '/v1/categories', {
    body: { name: 'Cats' },
    headers: { 'x-request-id': 'later' },
  });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('POST /categories').waitFor();
});

test('the id of a refused request leads to its page, beside what was typed', async () => {
  const { page, context } = await signIn(app, { path: '/catalogue/categories', statuses: [409] });
  const { body } = await app.call('POST', '/v1/categories', { body: { name: 'Fish' } });
  await page.getByRole('button', { name: 'New category' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(body.name);
  await page.getByRole('button', { name: 'Create category' }).click();
  const link = page.getByRole('dialog').getByRole('link', { name: /^Request / });
  const opened = context.waitForEvent('page');
  await link.click();
  const other = await opened;
  await other.getByText('category_name_taken').first().waitFor();
  await expect.poll(() => page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Fish');
});

test('an id with a slash is one part of the path', async () => {
  const { page } = await signIn(app, { path: '/requests?code=insufficient_stock' });
  await page.getByRole('link', { name: /store\/orders/ }).click();
  await page.getByText('shop/too-many').waitFor();
});

test('a service without a request log says so', async () => {
  const own = await consoleApp({ environment: { PETSTORE_REQUEST_LOG_DAYS: '0' } });
  const { page } = await signIn(own, { path: '/requests', statuses: [404] });
  await page.getByText('The request log is off').waitFor();
});
