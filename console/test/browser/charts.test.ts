import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../support/console.ts';
import { goTo } from '../support/go-to.ts';

const app = await consoleApp({ limits: { perMinute: 90, perDay: 100_000 } });
const { pets } = await stocked(app, { 'Beagle puppy': 9 });
const petId = pets['Beagle puppy']!;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
for (let i = 0; i < 3; i++) await app.call('POST', '/v1/store/orders', { body: { petId } });

test('far from UTC, orders fall on the UTC day and the reset is said in both zones', async () => {
  const { page } = await signIn(app, { timeZone: 'Pacific/Auckland' });
  const chart = page.getByRole('slider', { name: /^Orders created per UTC day/ });
  await chart.waitFor();
  await expect.poll(() => chart.getAttribute('aria-valuetext')).toBe('today: 3 orders');
  await showTable(page, /^Orders created per UTC day/);
  const rows = await rowsOf(page, /^Orders created per UTC day/);
  const { body: usage } = await app.call('GET', '/v1/usage');
  const { resetAt } = usage.windows.find(({ name }: { name: string }) => name === 'day');
  const utcDay = (at: number) => format(at, { day: 'numeric', month: 'short' }, 'UTC');
  expect(rows.at(-1)).toEqual([utcDay(Date.parse(resetAt) - 1), '3']);
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const local = format(Date.parse(resetAt), clock, 'Pacific/Auckland');
  await page.getByText(`Resets at ${local} (00:00 UTC)`).waitFor();
});

test('far from UTC, what ships today is what the reader calls today', async () => {
  const own = await consoleApp();
  const { pets: ownPets } = await stocked(own, { Ferret: 3 });
  // 14:00 in Auckland; 09:00 of the same day there is the day before in UTC.
  const time = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS + HOUR_MS;
  const shipDate = new Date(time - 5 * HOUR_MS).toISOString();
  await own.call('POST', '/v1/store/orders', { body: { petId: ownPets.Ferret, shipDate } });
  const { page } = await signIn(own, { timeZone: 'Pacific/Auckland', time });
  await page.getByText('1 unit reserved, 1 ships today').waitFor();
});

test('the numbers of an axis have room, however large they are', async () => {
  const many = await stocked(app, { Ant: 125_000_000 });
  const { page } = await signIn(app, { path: `/inventory?pet=${many.pets.Ant}`, width: 390 });
  const chart = page.getByRole('slider', { name: /^Stock, last 30 days/ });
  const left = (await chart.locator('svg').boundingBox())!.x;
  const ticks = chart.locator('.axis text.end:not(.below)');
  // The letter is small in some places where English is spoken.
  expect((await ticks.allTextContents()).join(' ').toUpperCase()).toBe('0 50M 100M 150M');
  for (const tick of await ticks.all()) {
    expect((await tick.boundingBox())!.x).toBeGreaterThanOrEqual(left);
  }
});

test('the minutes are the API’s, arrow keys read them, and the table holds the same', async () => {
  // The requests of the page itself fall into later minutes.
  app.clock.advance(10 * 60_000);
  const { page } = await signIn(app);
  const name = /^Requests per minute/;
  const chart = page.getByRole('slider', { name });
  await chart.waitFor();
  // More than the chart shows: a minute may end between the two reads.
  const { body: minutes } = await app.call('GET', '/v1/usage/minutes?minutes=65');
  const expected = new Map<string, string[]>(
    minutes.map(({ minute, admitted, refused }: Record<string, string | number>) => [
      clockOf(String(minute)),
      [String(admitted), String(refused)],
    ]),
  );
  await chart.focus();
  await page.keyboard.press('Home');
  const read: string[] = [];
  for (let i = 0; i < 60; i++) {
    read.push((await chart.getAttribute('aria-valuetext')) ?? '');
    await page.keyboard.press('ArrowRight');
  }
  await showTable(page, name);
  const rows = await rowsOf(page, name);
  expect(rows).toHaveLength(60);
  // The last minutes still count, and a minute may end while the chart is read.
  const settled = rows.slice(0, -3);
  const texts = settled.map(
    ([at, admitted, refused]) => `${at}: ${admitted} admitted, ${refused} refused`,
  );
  expect(read.filter((text) => texts.includes(text))).toEqual(texts);
  expect(settled.map(([at]) => expected.get(at!))).toEqual(settled.map((row) => row.slice(1)));
  expect(settled.some(([, admitted]) => Number(admitted) > 5)).toBe(true);
});

test('the line of the limit moves with the plan', async () => {
  const { page } = await signIn(app);
  await page.getByText('Limit 90 a minute').first().waitFor();
  await app.call('PATCH', '/v1/admin/workspaces/1', {
    body: { plan: 'enterprise', limits: { perMinute: 100, perDay: 100_000 } },
  });
  await page.reload();
  await page.getByText('Limit 100 a minute').first().waitFor();
  await page.getByRole('slider', { name: /limit 100 a minute/ }).waitFor();
});

test('the staircase has one step for each movement', async () => {
  const { page } = await signIn(app);
  await goTo(page, `/inventory?pet=${petId}`);
  const name = /^Stock, last 30 days/;
  await page.getByRole('slider', { name }).waitFor();
  await showTable(page, name);
  const { body: ledger } = await app.call('GET', `/v1/inventory/${petId}/movements?sort=id`);
  const rows = await rowsOf(page, name);
  expect(rows.map(([, ...counts]) => counts)).toEqual(
    ledger.map(({ quantityAfter, reservedAfter }: Record<string, number>) => [
      String(quantityAfter),
      String(reservedAfter),
    ]),
  );
});

test('5.2 what a chart says of a point stands at the pointer, and within the chart', async () => {
  const { page } = await signIn(app);
  const chart = page.getByRole('slider', { name: /^Orders created per UTC day/ });
  await chart.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await chart.boundingBox())!;
  const reading = chart.locator('.reading');
  for (const part of [0.05, 0.5, 0.95]) {
    const pointer = y + height * part;
    await page.mouse.move(x + width * 0.9, pointer);
    const above = async () => {
      const box = (await reading.boundingBox())!;
      return Math.round(pointer - box.y - box.height);
    };
    // Near the top there is no room above the pointer.
    await expect.poll(above).toBeGreaterThanOrEqual(part < 0.1 ? -44 : 4);
    expect(await above()).toBeLessThan(20);
    expect((await reading.boundingBox())!.y).toBeGreaterThanOrEqual(y);
  }
});

async function showTable(page: Page, name: RegExp): Promise<void> {
  const figure = page.getByRole('figure').filter({ has: page.getByRole('slider', { name }) });
  await figure.getByRole('button', { name: 'Show as table' }).click();
}

function rowsOf(page: Page, name: RegExp): Promise<string[][]> {
  return page
    .getByRole('table', { name })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
    );
}

function clockOf(at: string): string {
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return format(Date.parse(at), options, 'Europe/Berlin');
}

function format(at: number, options: Intl.DateTimeFormatOptions, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(at);
}
