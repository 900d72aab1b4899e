import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newTab, signIn, stocked, type Tab } from '../support/console.ts';
import { goTo } from '../support/go-to.ts';
import { type LimitedStore, limitedStore, stillApp } from '../support/limited-store.ts';

const { app, clock, pass } = await stillApp();

interface OpenList {
  tab: Tab;
  petId: number;
  /** The units on hand, as the row shows them. */
  shown(): Promise<string | null>;
  /** Another client sets the count, and the page has received its event. */
  change(quantity: number): Promise<void>;
}

/** The list of a store with one pet of 3 units, once its event stream is open. */
async function openList(store: LimitedStore): Promise<OpenList> {
  const { key } = store;
  const { pets } = await stocked(app, { Beagle: 3 }, key);
  const petId = pets.Beagle!;
  const tab = await signIn(app, { key, time: clock.now() });
  const { page } = tab;
  const received = await streamText(tab);
  const opened = page.waitForResponse((response) => response.url().includes('/v1/events/stream'));
  await tab.open('/inventory');
  await opened;
  const shown = () => onHand(page);
  await expect.poll(shown).toBe('3');
  return {
    tab,
    petId,
    shown,
    change: async (quantity) => {
      const before = received().length;
      await app.call('PATCH', `/v1/inventory/${petId}`, { key, body: { quantity } });
      await expect.poll(() => received().slice(before)).toContain(`"quantity":${quantity}`);
    },
  };
}

/** The units on hand, as the row of the only pet shows them. */
function onHand(page: Page): Promise<string | null> {
  return page
    .getByRole('row', { name: /Beagle/ })
    .locator('td.end')
    .first()
    .textContent();
}

/** All that the page has received of its event stream. */
async function streamText({ context, page }: Tab): Promise<() => string> {
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let stream = '';
  let text = '';
  const add = (base64 = '') => {
    text += Buffer.from(base64, 'base64').toString();
  };
  session.on('Network.responseReceived', async ({ requestId, response }) => {
    if (!response.url.includes('/v1/events/stream')) return;
    stream = requestId;
    const content = session.send('Network.streamResourceContent', { requestId });
    // A stream that is closed meanwhile has no content.
    add((await content.catch(() => undefined))?.bufferedData);
  });
  session.on('Network.dataReceived', ({ requestId, data }) => {
    if (requestId === stream) add(data);
  });
  return () => text;
}

const isRead = (request: string) => request.startsWith('GET /v1/inventory?');

test('a change by another client refreshes the list on the screen, at most once in 15 seconds', async () => {
  const store = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { tab, shown, change } = await openList(store);
  // The 15 seconds pass when the test says so.
  await tab.page.clock.pauseAt((await tab.page.evaluate(() => Date.now())) + 10_000);
  await change(8);
  await expect.poll(shown).toBe('8');
  const reads = tab.requests.filter(isRead).length;
  await change(6);
  await pass(tab.page, 14_000);
  await change(5);
  expect(tab.requests.filter(isRead).length).toBe(reads);
  await pass(tab.page, 1_000);
  await expect.poll(shown).toBe('5');
  expect(tab.requests.filter(isRead).length).toBe(reads + 1);
});

test('with less than half of the minute left, a change by another client reads nothing again', async () => {
  const store = await limitedStore(app);
  const { tab, shown, change } = await openList(store);
  await store.useUp(20);
  // The page learns it from the usage, which it reads every 15 seconds.
  await pass(tab.page, 16_000);
  await tab.page
    .getByText(/^4\d \/ 60$/)
    .first()
    .waitFor();
  const before = tab.requests.length;
  await change(8);
  await pass(tab.page, 16_000);
  await expect.poll(() => tab.requests.slice(before)).toContain('GET /v1/usage?days=2');
  expect(tab.requests.slice(before).filter(isRead)).toEqual([]);
  expect(await shown()).toBe('3');
  // Coming back to the list reads it, because what is known is old.
  await tab.page.getByRole('link', { name: 'Usage and limits' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Usage and limits' }).waitFor();
  await tab.page.getByRole('link', { name: 'Inventory' }).click();
  await expect.poll(shown).toBe('8');
});

test('a change that the minute could not afford is read in the next one', async () => {
  const store = await limitedStore(app);
  const { tab, shown, change } = await openList(store);
  const { page } = tab;
  await store.useUp(20);
  // The page learns it from the usage, which it reads every 15 seconds.
  await pass(page, 16_000);
  await page
    .getByText(/^4\d \/ 60$/)
    .first()
    .waitFor();
  await change(8);
  expect(await shown()).toBe('3');
  const read = page.waitForResponse((response) => response.url().endsWith('/v1/usage?days=2'));
  await pass(page, 61_000);
  await read;
  await pass(page, 16_000);
  await expect.poll(shown).toBe('8');
});

test('a change between the first reads and the opening of the stream is shown', async () => {
  const { key } = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { pets } = await stocked(app, { Beagle: 3 }, key);
  const { page, open } = await signIn(app, { key });
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/events/stream*', async (route) => {
    await release.promise;
    await route.continue();
  });
  await open('/inventory');
  await expect.poll(() => onHand(page)).toBe('3');
  await app.call('PATCH', `/v1/inventory/${pets.Beagle}`, { key, body: { quantity: 8 } });
  release.resolve();
  await expect.poll(() => onHand(page)).toBe('8');
});

test('a change between the sign-in and the opening of the stream is shown', async () => {
  const { key } = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { pets } = await stocked(app, { Beagle: 2 }, key);
  const { page, open } = await newTab(app);
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/events/stream*', async (route) => {
    await release.promise;
    await route.continue();
  });
  await open('/inventory');
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => onHand(page)).toBe('2');
  await app.call('PATCH', `/v1/inventory/${pets.Beagle}`, { key, body: { quantity: 8 } });
  release.resolve();
  await expect.poll(() => onHand(page)).toBe('8');
});

test('a change while the page was hidden is read when it is looked at again', async () => {
  const store = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { tab, petId, shown, change } = await openList(store);
  const { page } = tab;
  await change(8);
  await expect.poll(shown).toBe('8');
  await pass(page, 15_000);
  const closed = page.waitForEvent('requestfailed', (each) => each.url().includes('/stream'));
  await show(page, false);
  await closed;
  await app.call('PATCH', `/v1/inventory/${petId}`, { key: store.key, body: { quantity: 4 } });
  await show(page, true);
  await expect.poll(shown).toBe('4');
});

test('an answer that arrives before the next frame is shown', async () => {
  const { key } = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  await stocked(app, { Beagle: 3 }, key);
  const { page } = await signIn(app, { key, time: clock.now() });
  await goTo(page, '/orders');
  // No frame and no timer of the page comes from now on: effects that wait for one do not run.
  await page.clock.pauseAt(clock.now() + 60_000);
  await page.getByRole('link', { name: 'Inventory' }).click();
  await page.getByRole('row', { name: /Beagle/ }).waitFor();
  // The detail reads by itself, while the rest of the screen is drawn already.
  await page.getByRole('link', { name: 'Beagle' }).click();
  await page.getByRole('slider', { name: /^Stock, last 30 days/ }).waitFor();
  expect(await page.locator('.skeleton').count()).toBe(0);
});

/** Makes the page believe that it is looked at, or not. */
function show(page: Page, isVisible: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, !isVisible);
}

test('a page that was opened in the background follows the events once it is looked at', async () => {
  const { key } = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { pets } = await stocked(app, { Beagle: 3 }, key);
  const { page, open } = await newTab(app, { time: clock.now() });
  await page.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
  });
  await open('/inventory');
  await page.getByLabel('API key').fill(key);
  await pass(page, 2_000);
  await show(page, true);
  const opened = page.waitForResponse((response) => response.url().includes('/v1/events/stream'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => onHand(page)).toBe('3');
  await opened;
  await app.call('PATCH', `/v1/inventory/${pets.Beagle}`, { key, body: { quantity: 8 } });
  await expect.poll(() => onHand(page)).toBe('8');
});

test('4.21 a stream that ended for good is opened again after half a minute', async () => {
  const { key } = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { page, open } = await signIn(app, { key, time: clock.now(), statuses: [410] });
  let asked = 0;
  await page.route('**/v1/events/stream*', (route) => {
    if (!page.url().endsWith('/events')) return route.continue();
    asked += 1;
    const body = { code: 'events_expired', message: 'Gone.', status: 410, requestId: 'r' };
    return asked === 1 ? route.fulfill({ status: 410, json: body }) : route.continue();
  });
  const ended = page.waitForResponse('**/v1/events/stream*');
  await open('/events');
  await ended;
  const badge = page.locator('.page-head .badge');
  await expect.poll(() => badge.textContent()).toBe('Connecting');
  expect(asked).toBe(1);
  await expect
    .poll(async () => {
      await page.clock.fastForward(31_000);
      return badge.textContent();
    })
    .toBe('Live');
});

test('the feed says whether it is live', async () => {
  const { key } = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { page, open } = await signIn(app, { key });
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/events/stream*', async (route) => {
    await release.promise;
    await route.continue();
  });
  const asked = page.waitForRequest('**/v1/events/stream*');
  await open('/events');
  await asked;
  const badge = page.locator('.page-head .badge');
  await expect.poll(() => badge.textContent()).toBe('Connecting');
  release.resolve();
  await expect.poll(() => badge.textContent()).toBe('Live');
  await show(page, false);
  await expect.poll(() => badge.textContent()).toBe('Connecting');
  await show(page, true);
  await expect.poll(() => badge.textContent()).toBe('Live');
});

test('a plan that another client chose shows everywhere', async () => {
  const store = await limitedStore(app, { perMinute: 1_000, perDay: 100_000 });
  const { tab } = await openList(store);
  await tab.page.getByRole('region', { name: 'Enterprise plan' }).waitFor();
  await app.call('PATCH', '/v1/workspace', { key: store.key, body: { plan: 'business' } });
  await tab.page.getByRole('region', { name: 'Business plan' }).waitFor();
});
