import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
await stocked(app, { Beagle: 3 });

test.each([
  {
    path: '/orders',
    label: 'Ships from',
    name: 'shipDateFrom',
    list: '/v1/store/orders?',
    time: '',
    instant: '2025-12-31T23:00:00.000Z',
  },
  {
    path: '/ledger',
    label: 'To',
    name: 'to',
    list: '/v1/movements?',
    time: '',
    instant: '2026-01-01T22:59:59.999Z',
  },
  {
    path: '/inventory',
    label: 'As of',
    name: 'asOf',
    list: '/v1/inventory?',
    time: 'T10:00',
    instant: '2026-01-01T09:00:00.000Z',
  },
])(
  'on $path a date filters once its year is complete',
  async ({ path, label, name, list, time, instant }) => {
    const { page, requests } = await signIn(app, { path, time: Date.now() });
    const field = page.getByLabel(label, { exact: true });
    const reads = () => requests.filter((each) => each.startsWith(`GET ${list}`));
    await expect.poll(reads).toHaveLength(1);
    // What the field holds after each digit of the year.
    for (const year of ['0002', '0020', '0202', '2026']) {
      await field.fill(`${year}-01-01${time}`);
      await page.clock.fastForward(2_000);
    }
    await expect.poll(() => new URL(page.url()).searchParams.get(name)).toBe(instant);
    await expect.poll(reads).toHaveLength(2);
    await field.fill('');
    await page.clock.fastForward(2_000);
    await expect.poll(() => new URL(page.url()).searchParams.has(name)).toBe(false);
  },
);

test('a copied link shows the same rows in another time zone', async () => {
  const { pets } = await stocked(app, { Siamese: 99 });
  const petId = pets.Siamese;
  // In Berlin the day begins at 22:00 UTC: the first three orders are of the day before.
  for (let hour = -5; hour < 20; hour++) {
    const shipDate = new Date(Date.UTC(2026, 9, 1, hour)).toISOString();
    await app.call('POST', '/v1/store/orders', { body: { petId, shipDate } });
  }
  const { page } = await signIn(app, { path: `/orders?petId=${petId}` });
  const rowTexts = () => page.locator('[data-row]').allTextContents();
  await page.getByText('20 orders on this page').waitFor();
  const unfiltered = await rowTexts();
  await page.getByLabel('Ships from').fill('2026-10-01');
  await expect.poll(rowTexts).not.toEqual(unfiltered);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByText('2 orders on this page').waitFor();
  const rows = await rowTexts();
  const { page: other } = await signIn(app, {
    path: page.url().split('/console')[1]!,
    timeZone: 'America/New_York',
  });
  await other.getByText('2 orders on this page').waitFor();
  await expect.poll(() => other.locator('[data-row]').allTextContents()).toEqual(rows);
});

test('a copied moment is the same in another time zone', async () => {
  const { page } = await signIn(app, { path: '/inventory' });
  await page.getByLabel('As of').fill('2026-11-16T12:00');
  await page.getByText('You are looking at stock as of 16 Nov 2026, 12:00').waitFor();
  const { page: other } = await signIn(app, {
    path: page.url().split('/console')[1]!,
    timeZone: 'America/New_York',
  });
  await other.getByText('You are looking at stock as of 16 Nov 2026, 06:00').waitFor();
  await expect.poll(() => other.getByLabel('As of').inputValue()).toBe('2026-11-16T06:00');
});

test.each([
  '/ledger?to=9999-12-31',
  '/orders?shipDateTo=9999-12-31',
  '/ledger?from=2026-99-99',
  '/ledger?petId=1.5',
])('%s asks for nothing that the service refuses', async (path) => {
  const { page } = await signIn(app, { path, timeZone: 'America/New_York' });
  await page.locator('[data-row]').first().waitFor();
});
