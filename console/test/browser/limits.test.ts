import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signIn, stocked } from '../support/console.ts';
import { settle } from '../support/go-to.ts';
import { limitedStore, setPlan, stillApp } from '../support/limited-store.ts';

const { app, clock, pass } = await stillApp();
const DAY = { perMinute: 1_000, perDay: 40 };

interface Shown {
  minute: string;
  day: string;
}

/** "7 / 60", as the meter shows both windows. */
async function meterOf(page: Page): Promise<Shown> {
  const [minute = '', day = ''] = await page
    .locator('.meter .bar > p:first-child > span:last-child')
    .allInnerTexts();
  return { minute: minute.trim(), day: day.trim() };
}

/** What the headers of a response leave of a window. */
function leftIn(response: { headers: Headers }, name: string): number {
  const header = response.headers.get('ratelimit') ?? '';
  return Number(new RegExp(`"${name}";r=(\\d+)`).exec(header)?.[1]);
}

/** The service may be asked 60 times in the minute that stands still. */
const SELDOM = { interval: 500 };

/** What the service says now. Asking costs nothing. */
async function said(key: string): Promise<Shown> {
  const answer = await app.call('GET', '/v1/usage', { key });
  const [minute, day] = ['minute', 'day'].map((name, index) => {
    const { limit } = answer.body.windows[index];
    return `${(limit - leftIn(answer, name)).toLocaleString('en-GB')} / ${limit.toLocaleString('en-GB')}`;
  });
  return { minute: minute!, day: day! };
}

/** Waits until the meter shows what the service says. */
async function meterAgrees(page: Page, key: string): Promise<Shown> {
  await expect
    .poll(async () => ({ shown: await meterOf(page), said: await said(key) }), SELDOM)
    .toSatisfy(({ shown, said }: Record<'shown' | 'said', Shown>) =>
      isDeepStrictEqual(shown, said),
    );
  return meterOf(page);
}

test('the meter shows what the headers said, after reads, writes and a refusal', async () => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 3 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: `/inventory?pet=${pets.Beagle}`,
    statuses: [429],
  });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const read = await meterAgrees(page, store.key);
  await page.getByRole('button', { name: 'Adjust by +1' }).click();
  await page.getByText('Beagle: 4 on hand.').waitFor();
  const written = await meterAgrees(page, store.key);
  expect(Number.parseInt(written.minute, 10)).toBeGreaterThan(Number.parseInt(read.minute, 10));
  await store.useUp();
  await page.getByRole('link', { name: 'Ledger', exact: true }).click();
  await page.getByText('Rate limit reached').waitFor();
  expect(await meterAgrees(page, store.key)).toEqual({ minute: '60 / 60', day: '60 / 1,000' });
});

test('a used-up minute counts down, sends nothing, and then sends the kept change once', async () => {
  const store = await limitedStore(app);
  const { pets } = await stocked(app, { Beagle: 3 }, store.key);
  const { page, requests, open } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    statuses: [429, 0],
  });
  // The event stream breaks again and again. Opening it anew has to wait, too.
  await page.route('**/v1/events/stream**', (route) => route.abort());
  await open(`/inventory?pet=${pets.Beagle}`);
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  await page.getByLabel('Change').fill('6');
  // A page that reads its usage now would know of the limit, and would not send the change at all.
  const isRefused = Promise.withResolvers<void>();
  await page.route(/\/v1\/usage(\?|$)/, async (route) => {
    await isRefused.promise;
    await route.continue();
  });
  await store.useUp();
  const refused = page.waitForResponse((response) => response.status() === 429);
  await page.getByRole('button', { name: 'Adjust by +6' }).click();
  const retryAfter = Number((await refused).headers()['retry-after']);
  isRefused.resolve();
  await page.getByText('Your change will be sent in').waitFor();
  const secondsLeft = async () => Number(await page.locator('.countdown text').textContent());
  const first = await secondsLeft();
  expect(first).toBeLessThanOrEqual(retryAfter);
  const before = requests.length;
  await pass(page, 10_000);
  await expect.poll(secondsLeft).toBeLessThanOrEqual(first - 10);
  // The rest but some seconds: the page's own time goes on meanwhile.
  await pass(page, Math.max(0, ((await secondsLeft()) - 15) * 1000));
  await page.getByText('Your change will be sent in').waitFor();
  // The usage costs nothing of the plan, and is read on.
  const isFree = (each: string) => each.startsWith('GET /v1/usage');
  expect(requests.slice(before).filter((each) => !isFree(each))).toEqual([]);
  expect((await app.call('GET', '/v1/usage', { key: store.key })).body.bans).toEqual([]);
  await pass(page, 61_000);
  await page.getByText('Beagle: 9 on hand.').waitFor();
  await page.getByText('Rate limit reached').waitFor({ state: 'detached' });
  const sent = requests.filter((each) => each.endsWith('/adjustments'));
  expect(sent).toHaveLength(2);
  const { body: ledger } = await app.call('GET', `/v1/inventory/${pets.Beagle}/movements`, {
    key: store.key,
  });
  expect(ledger.filter(({ cause }: { cause: string }) => cause === 'adjusted')).toHaveLength(1);
  const { body: usage } = await app.call('GET', '/v1/usage', { key: store.key });
  expect(usage.bans).toEqual([]);
  expect(sum(usage.history, 'refused')).toBe(1);
});

interface HistoryRow {
  keyId: string;
  admitted: number;
  refused: number;
}

function sum(history: HistoryRow[], name: 'admitted' | 'refused'): number {
  return history.reduce((total, row) => total + row[name], 0);
}

test('with the day used up, usage, plans and sign-in still work', async () => {
  const store = await limitedStore(app, DAY);
  await stocked(app, { Beagle: 3 }, store.key);
  // The overview wants five requests: the client stops by itself, the service refuses none or few.
  await store.useUp(3);
  const { page, requests } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    statuses: [429],
  });
  await page.getByText('Daily limit reached').waitFor();
  await page.getByText('per day. Resets at').waitFor();
  await page.getByRole('link', { name: 'Usage and limits' }).click();
  await page.getByRole('heading', { level: 1, name: 'Usage and limits' }).waitFor();
  await page.getByText('listInventory').first().waitFor();
  await page.getByRole('link', { name: 'Plan', exact: true }).click();
  await page.getByText('Your last 24 hours').first().waitFor();
  const before = requests.length;
  await pass(page, 120_000);
  await expect.poll(() => requests.slice(before).includes('GET /v1/usage?days=2')).toBe(true);
  await page.reload();
  await page.getByText('Your last 24 hours').first().waitFor();
  await page.locator('.account').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill(store.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Plan' }).waitFor();
  const { body: usage } = await app.call('GET', '/v1/usage', { key: store.key });
  expect(usage.bans).toEqual([]);
  // The operator raises the limit: the page goes on by itself.
  await page.getByRole('link', { name: 'Inventory' }).click();
  await page.getByText('Daily limit reached').waitFor();
  await setPlan(app, store.id, { perMinute: 1_000, perDay: 1_000 });
  await pass(page, 20_000);
  await page.getByRole('link', { name: 'Beagle' }).first().waitFor();
  await page.getByText('Daily limit reached').waitFor({ state: 'detached' });
});

test('the overview costs at most five counted requests, and an hour of leaving it open costs none', async () => {
  const store = await limitedStore(app);
  await stocked(app, { Beagle: 1, Collie: 0 }, store.key);
  const { page, requests } = await signIn(app, { key: store.key, time: clock.now() });
  await page.getByRole('table', { name: 'Latest stock changes' }).waitFor();
  await page.getByText('Beagle: 1 left').waitFor();
  await settle(page);
  const ofConsole = async () => {
    const { body } = await app.call('GET', '/v1/usage', { key: store.key });
    return sum(
      body.history.filter(({ keyId }: HistoryRow) => keyId !== store.key.slice(4, 16)),
      'admitted',
    );
  };
  await expect.poll(ofConsole, SELDOM).toBeGreaterThan(3);
  const cost = await ofConsole();
  expect(cost).toBeLessThanOrEqual(5);
  const before = requests.length;
  const answered: string[] = [];
  page.on('requestfinished', (request) => answered.push(request.url()));
  for (let minute = 1; minute <= 60; minute++) {
    await pass(page, 60_000);
    // Both reads of the minute. One that is still on its way would time out in the next.
    for (const path of [/\/usage\?days=2$/, /\/usage\/minutes$/])
      await expect.poll(() => answered.filter((url) => path.test(url)).length).toBe(minute);
  }
  expect(await ofConsole()).toBe(cost);
  const free = /^GET \/v1\/(usage\?days=2|usage\/minutes|usage\/advice|events\/stream\?.*)$/;
  expect(requests.slice(before).filter((each) => !free.test(each))).toEqual([]);
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.getByText(`Used by this console: ${cost}`).waitFor();
});

test('another plan changes the limits everywhere at once, and the counters stay', async () => {
  const store = await limitedStore(app);
  await store.useUp(7);
  const { page } = await signIn(app, { key: store.key, time: clock.now(), path: '/plan' });
  const { body: advice } = await app.call('GET', '/v1/usage/advice', { key: store.key });
  for (const { plan, refused } of advice.plans) {
    const name = `${plan[0].toUpperCase()}${plan.slice(1)}`;
    const card = page.locator('li.plan', { has: page.getByRole('heading', { name }) });
    await card.getByText(refused === 0 ? 'none refused' : `${refused} refused`).waitFor();
  }
  await page.getByText(`at most ${advice.busiestMinute} in one minute`).waitFor();
  const used = Number.parseInt((await meterAgrees(page, store.key)).minute, 10);
  await page.getByRole('button', { name: 'Change to Pro' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change to Pro' }).click();
  await page.getByText('You are now on Pro.').waitFor();
  await page.getByRole('region', { name: 'Pro plan' }).waitFor();
  // The change itself is one more request.
  expect(await meterAgrees(page, store.key)).toEqual({
    minute: `${used + 1} / 300`,
    day: `${used + 1} / 10,000`,
  });
  await page
    .locator('li.plan', { has: page.getByRole('heading', { name: 'Pro' }) })
    .getByText('Your current plan')
    .waitFor();
  await page.getByRole('link', { name: 'Usage and limits' }).click();
  await page.getByText('against the limit of 300 a minute').waitFor();
  // More than the plan before had left: all of it is admitted.
  for (const name of ['Inventory', 'Orders', 'Catalogue', 'Ledger', 'API keys', 'Webhooks']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await meterAgrees(page, store.key);
  }
  expect(Number.parseInt((await meterOf(page)).minute, 10)).toBeGreaterThan(60);
});

test('a filter that is chosen while nothing is sent does not show the rows of another one', async () => {
  const store = await limitedStore(app);
  await stocked(app, { Beagle: 3 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/inventory',
    statuses: [429],
  });
  await page.getByRole('link', { name: 'Beagle' }).waitFor();
  await store.useUp();
  await page.getByRole('radio', { name: 'Pending' }).check();
  await page.getByText('Rate limit reached').waitFor();
  await page.locator('main').getByText('Waiting for the limit').waitFor();
  expect(await page.getByRole('link', { name: 'Beagle' }).count()).toBe(0);
  await page.getByRole('radio', { name: 'All' }).check();
  await page.getByRole('link', { name: 'Beagle' }).waitFor();
});

test('a page that was loaded too often goes on by itself when the minute is over', async () => {
  const store = await limitedStore(app);
  const { page, requests } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/plan',
    statuses: [429],
  });
  await page.getByRole('heading', { level: 1, name: 'Plan' }).waitFor();
  await page.evaluate(async () => {
    while ((await fetch('/v1/session')).status !== 429);
  });
  await page.reload();
  await page.getByText('Waiting for the limit').waitFor();
  const before = requests.length;
  await pass(page, 30_000);
  await page.getByText('Waiting for the limit').waitFor();
  expect(requests.slice(before)).toEqual([]);
  await pass(page, 31_000);
  await page.getByRole('heading', { level: 1, name: 'Plan' }).waitFor();
});

test('a search for a pet says that it waits for the limit, and goes on when the minute is over', async () => {
  const store = await limitedStore(app);
  await stocked(app, { Beagle: 3 }, store.key);
  const { page } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/orders/new',
    statuses: [429],
  });
  const field = page.getByRole('combobox', { name: 'Pet' });
  await field.waitFor();
  await store.useUp();
  await field.fill('beag');
  await page.getByText('Rate limit reached').waitFor();
  await page.getByText('Waiting for the limit').waitFor();
  expect(await page.getByText('Searching …').count()).toBe(0);
  await pass(page, 61_000);
  await page.getByRole('option', { name: /Beagle/ }).waitFor();
});
