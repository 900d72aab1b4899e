import { readFileSync } from 'node:fs';
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';
import { goTo } from '../../support/go-to.ts';
import { limitedStore, stillApp } from '../../support/limited-store.ts';

const app = await consoleApp();
await stocked(app, { Beagle: 3 });

/** Reads what the export costs, and starts it. */
async function startExport(page: Page, cost = /The export costs/): Promise<void> {
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export CSV' });
  await dialog.getByText(cost).waitFor();
  await dialog.getByRole('button', { name: 'Export' }).click();
}

test('a file has the names of pets, keys and categories, and costs what was said', async () => {
  const { pets } = await stocked(app, { Okapi: 3 });
  const body = {
    petId: pets.Okapi,
    quantity: 2,
    customer: 'Ada',
    reference: 'W-1',
    complete: true,
  };
  await app.call('POST', '/v1/store/orders', { body });
  const { page, requests } = await signIn(app, { path: '/orders' });
  const paid =
    /\/v1\/(store\/orders|movements|inventory|pets)\?(?!.*(low=true|complete=)).*limit=100|\?id=/;
  const rowsOf = async (path: string, cost: RegExp) => {
    await goTo(page, path);
    requests.length = 0;
    const saved = page.waitForEvent('download');
    await startExport(page, cost);
    const [, ...rows] = readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\r\n');
    const sent = requests.filter((each) => paid.test(each)).length;
    return { rows, sent };
  };
  const orders = await rowsOf('/orders?show=complete', /^1 row\. The export costs 2 requests/);
  expect(orders.rows[0]).toMatch(new RegExp(`,${pets.Okapi},Okapi,2,Ada,W-1,`));
  expect(orders.sent).toBe(2);
  const ledger = await rowsOf(`/ledger?petId=${pets.Okapi}`, /costs 3 requests/);
  expect(ledger.rows[0]).toMatch(/,Okapi,fulfilled,.*,first key$/);
  expect(ledger.sent).toBe(3);
  const stock = await rowsOf('/inventory?name=Okapi', /costs 2 requests/);
  expect(stock.rows).toEqual([`${pets.Okapi},Okapi,,1,0,1,,available`]);
  const list = await rowsOf('/catalogue?name=Okapi', /costs 1 request /);
  expect(list.rows[0]).toMatch(/^\d+,Okapi,,\d+,Kind [\d. ]+,available,$/);
});

test('an export can be stopped, and saves nothing then', async () => {
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('link', { name: 'Beagle' }).waitFor();
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/pets?**limit=100**', async (route) => {
    await release.promise;
    await route.continue().catch(() => {});
  });
  let downloads = 0;
  page.on('download', () => downloads++);
  await startExport(page);
  await page.getByRole('button', { name: 'Stop export: 0 rows …' }).click();
  await page.getByRole('button', { name: 'Export CSV' }).waitFor();
  release.resolve();
  await page.getByRole('link', { name: 'Ledger', exact: true }).click();
  await page.getByRole('table').waitFor();
  expect(downloads).toBe(0);
  await page.unrouteAll({ behavior: 'wait' });
});

test('an export stops when its screen is left', async () => {
  const { page, requests } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('link', { name: 'Beagle' }).waitFor();
  for (let index = 0; index < 250; index++) {
    await app.call('POST', '/v1/categories', { body: { name: `Kind ${index}` } });
  }
  await page.getByRole('link', { name: 'Categories' }).click();
  await page.getByRole('button', { name: 'New category' }).waitFor();
  const asked = Promise.withResolvers<Request>();
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/categories?**limit=100**', async (route) => {
    asked.resolve(route.request());
    await release.promise;
    await route.continue().catch(() => {});
  });
  let downloads = 0;
  page.on('download', () => downloads++);
  requests.length = 0;
  await startExport(page);
  const request = await asked.promise;
  await page.getByRole('link', { name: 'Ledger', exact: true }).click();
  await page.getByRole('table').waitFor();
  release.resolve();
  // An export that goes on would send its next request now.
  await (await request.response())?.finished();
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await page.getByText('No open orders').waitFor();
  expect(requests.filter((each) => /\/v1\/categories\?.*limit=100/.test(each))).toHaveLength(1);
  expect(downloads).toBe(0);
  await page.unrouteAll({ behavior: 'wait' });
});

test('an export that needs more pages than the minute has left goes on in the next', async () => {
  const still = await stillApp();
  const store = await limitedStore(still.app);
  const { key } = store;
  const { categoryId } = await stocked(still.app, {}, key);
  const pets = Array.from({ length: 350 }, (_, index) => ({ name: `Mouse ${index}`, categoryId }));
  const made = await still.app.call('POST', '/v1/pets/batch', { key, body: { pets } });
  expect(made.status).toBe(200);
  const { page } = await signIn(still.app, {
    key,
    path: '/catalogue',
    time: still.clock.now(),
    statuses: [429],
  });
  await page.getByRole('link', { name: 'Mouse 0', exact: true }).waitFor();
  await store.useUp(2);
  const saved = page.waitForEvent('download');
  await startExport(page);
  const waiting = 'Stop export: 200 rows, waiting for the rate limit …';
  await page.getByRole('button', { name: waiting }).waitFor();
  await page.getByText('Rate limit reached').waitFor();
  await still.pass(page, 61_000);
  const text = readFileSync(await (await saved).path(), 'utf8');
  // Without the mark, Excel does not read it as UTF-8.
  expect(text[0]).toBe('\ufeff');
  const lines = text.trim().split('\r\n');
  const names = lines.slice(1).map((line) => line.split(',')[1]);
  expect(names).toEqual(pets.map(({ name }) => name));
  await page.getByRole('button', { name: 'Export CSV' }).waitFor();
});
