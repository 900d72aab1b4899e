import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { Beagle: 3 });
const { body: order } = await app.call('POST', '/v1/store/orders', {
  body: { petId: pets.Beagle },
});

/** The name of everything that would change something. */
const WRITES =
  /^(Adjust|Set count|Put on hold|Hold|Create order|Fulfil|Change|Cancel order|New|Add|Import|Edit|Delete|Create|Rotate|Revoke|Lift|Undo|Save|Close workspace)/;

const screens = [
  '',
  '/inventory',
  `/inventory?pet=${pets.Beagle}`,
  '/orders',
  `/orders/${order.id}`,
  '/catalogue',
  '/catalogue/categories',
  '/ledger',
  '/keys',
  '/plan',
  '/webhooks',
  '/requests',
  '/settings',
];

test('4.17 a key that may only read sees no button that works for a change, and the reason', async () => {
  const key = await app.addKey(['read']);
  const { page, open } = await signIn(app, { key });
  let off = 0;
  for (const path of screens) {
    await open(path);
    await page.locator('main h1').waitFor();
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
    for (const button of await page.locator('main').getByRole('button', { name: WRITES }).all()) {
      off++;
      const facts = `${path}: ${await button.textContent()}`;
      expect([facts, await button.getAttribute('aria-disabled')]).toEqual([facts, 'true']);
      await expect
        .poll(() => button.getAttribute('title'))
        .toMatch(/^Needs the scope “(write|manage)”$/);
    }
    const links = page.locator('main').getByRole('link', { name: WRITES });
    expect([path, await links.allTextContents()]).toEqual([path, []]);
  }
  // Not hidden: each screen of the store shows what another key could do.
  expect(off).toBeGreaterThan(12);
  await open(`/inventory?pet=${pets.Beagle}`);
  await page.getByText('Needs the scope “write”').first().waitFor();
  await open('/orders/new');
  await page.getByText('Your key may not do this').waitFor();
  await page.getByText('It needs the scope “write”.').waitFor();
});

test('the search offers a key that may not read nothing that it could not do', async () => {
  const { page } = await signIn(app, { key: await app.addKey(['write', 'operate']), path: '' });
  await page.getByText('It needs the scope “read”.').waitFor();
  await page.keyboard.press('Control+k');
  await expect
    .poll(() => page.getByRole('dialog').getByRole('option').allTextContents())
    .toEqual(['Sign outActions']);
});

test('a key without operate has no group Service, and its addresses say so', async () => {
  const key = await app.addKey(['read', 'write', 'manage']);
  const { page, requests, open } = await signIn(app, { key });
  await page.getByRole('heading', { level: 2, name: 'Account' }).waitFor();
  expect(await page.getByRole('heading', { level: 2, name: 'Service' }).count()).toBe(0);
  for (const path of ['/service', '/workspaces', '/workspaces/1', '/bans']) {
    await open(path);
    await page.getByText('Your key may not do this').waitFor();
    await page.getByText('It needs the scope “operate”.').waitFor();
    await page.locator('main h1').waitFor();
  }
  expect(requests.filter((each) => each.includes('/admin/'))).toEqual([]);
});

test('4.17 a key that may not read says so on every screen, and asks for nothing', async () => {
  const key = await app.addKey(['write']);
  const { page, requests, open } = await signIn(app, { key });
  await page.getByText('It needs the scope “read”.').waitFor();
  // A meter would show 0, which no answer has said.
  expect(await page.locator('.meter, .ring').count()).toBe(0);
  for (const path of ['/inventory', '/inventory/count', '/orders/new']) {
    await open(path);
    await page.getByText('It needs the scope “read”.').waitFor();
  }
  expect(requests.filter((each) => !each.endsWith('/v1/session'))).toEqual([]);
});

test('4.17 the overview does not lead a key to a change that it may not make', async () => {
  const key = await app.addKey(['read']);
  await stocked(app, { Collie: 1 });
  const { page } = await signIn(app, { key });
  const restock = page.getByRole('button', { name: 'Restock' }).first();
  await restock.waitFor();
  await expect.poll(() => restock.getAttribute('aria-disabled')).toBe('true');
  expect(await page.getByRole('link', { name: 'Restock' }).count()).toBe(0);
});

test('an address that opens a change opens nothing for a key that may not make it', async () => {
  const key = await app.addKey(['read']);
  const { page, open } = await signIn(app, { key });
  await open(`/inventory?pet=${pets.Beagle}&adjust=1`);
  await page.getByRole('slider').waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await open('/plan?to=pro');
  await page
    .getByRole('button', { name: /^Change to/ })
    .first()
    .waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});
