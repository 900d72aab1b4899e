import { expect, test } from 'vitest';
import { newTab, signIn } from '../support/console.ts';
import { everyText } from '../support/every-text.ts';
import { goTo } from '../support/go-to.ts';
import { limitedStore, stillApp } from '../support/limited-store.ts';

const { app, clock, pass } = await stillApp();
const REFUSALS = 30;

/** Sends on after the minute is used up, until the key is banned. */
async function ban(key: string): Promise<void> {
  for (let sent = 0; sent <= 60 + REFUSALS; sent++) {
    const { body } = await app.call('GET', '/v1/pets?limit=1', { key });
    if (body.code === 'key_banned') return;
  }
  throw new Error('the key is not banned');
}

test('a ban of another key shows with its time left, and the operator lifts it', async () => {
  const store = await limitedStore(app);
  const shop = await app.addKey(['read'], store.id);
  await ban(shop);
  const id = shop.slice(4, 16);
  const owner = await signIn(app, { key: store.key, time: clock.now(), statuses: [429] });
  await owner.open('/usage');
  await owner.page.getByText(`${id} is banned`).waitFor();
  await owner.page.getByText(/^\d+ s left$/).waitFor();
  const { page } = await signIn(app, { time: clock.now(), path: '/bans' });
  const row = page.getByRole('row', { name: new RegExp(id) });
  const secondsLeft = async () =>
    Number.parseInt((await row.locator('.text-bad').textContent()) ?? '', 10);
  const before = await secondsLeft();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThanOrEqual(60);
  await pass(page, 10_000);
  await expect.poll(secondsLeft).toBeLessThanOrEqual(before - 10);
  await page.getByRole('button', { name: `Lift ban of ${id}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Lift ban' }).click();
  await page.getByText(`Ban of ${id} lifted.`).waitFor();
  await page.getByText('No key is banned').waitFor();
  const { body } = await app.call('GET', '/v1/pets', { key: shop });
  // The minute is still used up, so the key is refused by that.
  expect(body.code).toBe('rate_limit_exceeded');
  clock.advance(60_000);
  expect((await app.call('GET', '/v1/pets', { key: shop })).status).toBe(200);
});

test('the question before a ban is lifted names the key', async () => {
  const { body } = await app.call('POST', '/v1/keys', {
    body: { name: 'till 4', scopes: ['read'] },
  });
  const { page } = await signIn(app, { time: clock.now() });
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const json = { workspaceId: 1, keyId: body.id, strikes: 1, since: at(-1_000), until: at(60_000) };
  await page.route('**/v1/admin/bans*', (route) => route.fulfill({ json: [json] }));
  await goTo(page, '/bans');
  await page.getByRole('button', { name: 'Lift ban of till 4' }).click();
  await page
    .getByRole('dialog', { name: 'Lift ban of till 4' })
    .getByText(body.id, { exact: true })
    .waitFor();
});

test('the navigation counts the bans that are in force, on any screen', async () => {
  const store = await limitedStore(app);
  await ban(store.key);
  const { page } = await signIn(app, { time: clock.now(), path: '/bans' });
  const link = page.getByRole('navigation').getByRole('link', { name: /^Bans/ });
  await expect.poll(() => link.textContent()).toBe('Bans1');
  await goTo(page, '/plan');
  await pass(page, 61_000);
  await expect.poll(() => link.textContent()).toBe('Bans');
});

test('a banned key cannot sign in; the page counts down and then lets it in', async () => {
  const store = await limitedStore(app);
  await ban(store.key);
  const { page, open } = await newTab(app, { time: clock.now(), statuses: [429] });
  await open('');
  await page.getByLabel('API key').fill(store.key);
  // A page that was opened long ago says the same.
  await page.clock.fastForward(600_000);
  const seen = await everyText(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const field = page.getByText(/banned for another \d+ s/);
  await field.waitFor();
  const secondsLeft = async () => Number(/another (\d+) s/.exec((await field.textContent())!)?.[1]);
  const before = await secondsLeft();
  expect(before).toBeLessThanOrEqual(60);
  expect((await seen()).filter((text) => /banned for another (?!\d+ s)/.test(text))).toEqual([]);
  await pass(page, 10_000);
  await expect.poll(secondsLeft).toBeLessThanOrEqual(before - 10);
  await pass(page, 60_000);
  await page.getByText('You can sign in again now.').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

test('a banned session leads to the sign-in page, which counts down and takes another key', async () => {
  const store = await limitedStore(app);
  const { page, requests } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    statuses: [429],
  });
  await store.useUp();
  // A runaway script in the page, with the session's cookie.
  await page.evaluate(async (times) => {
    for (let sent = 0; sent < times; sent++) await fetch('/v1/pets');
  }, REFUSALS + 1);
  await page.reload();
  await page.getByText('This session is banned for now.').waitFor();
  const secondsLeft = async () => Number(await page.locator('.countdown text').textContent());
  const before = await secondsLeft();
  expect(before).toBeGreaterThan(0);
  const sent = requests.length;
  await pass(page, 10_000);
  await expect.poll(secondsLeft).toBeLessThanOrEqual(before - 10);
  expect(requests.slice(sent)).toEqual([]);
  // The workspace's minute is over; the ban of the session goes on for the rest of its time.
  await page.getByLabel('API key').fill(await app.addKey(['read', 'write']));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('No stock changes yet').waitFor();
  expect(await page.getByText('This session is banned for now.').count()).toBe(0);
});

test('an open console whose session is banned goes on when the user says so', async () => {
  const store = await limitedStore(app);
  const { page, requests } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    statuses: [429],
  });
  await page.getByText('No stock changes yet').waitFor();
  await store.useUp();
  await page.evaluate(async (times) => {
    for (let sent = 0; sent < times; sent++) await fetch('/v1/pets');
  }, REFUSALS + 1);
  await page.getByRole('link', { name: 'Inventory' }).click();
  await page.getByText('This session is banned for now.').waitFor();
  const sent = requests.length;
  await pass(page, 120_000);
  await page.getByText('The ban is over.').waitFor();
  expect(requests.slice(sent)).toEqual([]);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('No pets yet').waitFor();
  await page.getByText('This session is banned for now.').waitFor({ state: 'detached' });
});

test('a banned session that goes to another key asks before input is lost', async () => {
  const store = await limitedStore(app);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/orders/new',
    statuses: [429],
  });
  const customer = page.getByLabel('Customer');
  await customer.fill('Grace Hopper');
  await store.useUp();
  await page.evaluate(async (times) => {
    for (let sent = 0; sent < times; sent++) await fetch('/v1/pets');
  }, REFUSALS + 1);
  await page.getByRole('combobox', { name: 'Pet' }).fill('beagle');
  await page.getByRole('button', { name: 'Sign in with another key' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await customer.inputValue()).toBe('Grace Hopper');
  await page.getByRole('button', { name: 'Sign in with another key' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByLabel('API key').waitFor();
});
