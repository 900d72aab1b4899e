import { beforeEach, expect, test } from 'vitest';
import { consoleApp, signIn } from '../support/console.ts';

const MINUTE_MS = 61_000;
/** The first ban outlasts the minute, so the key can be served as soon as its ban is lifted. */
const app = await consoleApp({
  limits: 'free',
  environment: { PETSTORE_BAN_LADDER_SECONDS: '3600,7200' },
});

// Each test has a minute of its own.
beforeEach(() => app.clock.advance(MINUTE_MS));

/** The requests that count for the plan. */
const counted = (requests: readonly string[]) =>
  requests.filter((each) => !/\/v1\/(usage|plans|session|events)/.test(each));

test('looking at usage, plans and events costs nothing but the names of keys and pets', async () => {
  const { page, requests, open } = await signIn(app);
  for (const [path, text] of [
    ['/usage', 'Which plan fits you'],
    ['/plan', 'Your last 24 hours'],
    ['/events', 'Live'],
  ] as const) {
    requests.length = 0;
    await open(path);
    await page.getByText(text).first().waitFor();
    await page.waitForLoadState('load');
    const names = /^GET \/v1\/(keys|pets)\?/;
    expect(counted(requests).filter((each) => !names.test(each))).toEqual([]);
    expect(counted(requests).length).toBeLessThanOrEqual(2);
  }
});

test('a change of plan shows at once everywhere, and what was used stays used', async () => {
  const { page } = await signIn(app, { path: '/plan' });
  const meter = page.getByRole('region', { name: /plan$/ });
  await meter.getByText('Free plan').waitFor();
  await page.getByRole('button', { name: 'Change to Pro' }).click();
  await page.getByText('1,000 → 10,000').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Change to Pro' }).click();
  await meter.getByText('Pro plan').waitFor();
  await meter.getByText('/ 300').waitFor();
  const { body: usage } = await app.call('GET', '/v1/usage');
  const [minute] = usage.windows;
  expect(minute.limit).toBe(300);
  expect(minute.remaining).toBeLessThan(300);
  await app.call('PATCH', '/v1/workspace', { body: { plan: 'free' } });
});

test('the replay of each plan has the numbers of the service', async () => {
  const { page } = await signIn(app, { path: '/usage' });
  const { body: advice } = await app.call('GET', '/v1/usage/advice');
  await page.getByText('Which plan fits you').waitFor();
  const rows = page.locator('.plan-fits > li');
  await rows.first().waitFor();
  const shown = await rows.allTextContents();
  for (const [index, { refused }] of advice.plans.entries()) {
    expect(shown[index]).toContain(refused === 0 ? 'none refused' : `${refused} refused`);
  }
});

test('a ban shows with its time left; the operator lifts it, and the key is served again', async () => {
  const created = await app.call('POST', '/v1/admin/workspaces', { body: { name: 'Next door' } });
  const { key: bot } = created.body;
  const codeOf = async () => (await app.call('GET', '/v1/pets', { key: bot.key })).body.code;
  for (let sent = 0; sent < 200 && (await codeOf()) !== 'key_banned'; sent++);
  expect(await codeOf()).toBe('key_banned');
  const { page } = await signIn(app, { path: '/bans' });
  const row = page.getByRole('row', { name: new RegExp(bot.id) });
  await row.getByText(/^\d+ (min|h)/).waitFor();
  app.clock.advance(MINUTE_MS);
  await row.getByRole('button', { name: /Lift ban/ }).click();
  await page.getByText('still count towards the length of the next one').waitFor();
  await page.getByRole('button', { name: 'Lift ban', exact: true }).click();
  await page.getByText('No key is banned').waitFor();
  expect((await app.call('GET', '/v1/admin/bans')).body).toEqual([]);
  expect((await app.call('GET', '/v1/pets', { key: bot.key })).status).toBe(200);
});

test('an event appears as it happens, and opens as JSON', async () => {
  // The tests before have changed the plan, and with it how many streams may be open.
  const own = await consoleApp();
  const { page } = await signIn(own, { path: '/events' });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('table').waitFor();
  // What happens before the stream is open shows with the next event.
  let made = 0;
  const appearsAfterAnother = async () => {
    made += 1;
    await own.call('POST', '/v1/categories', { body: { name: `Fish ${made}` } });
    return page.getByText(/^Fish \d+$/).count();
  };
  await expect.poll(appearsAfterAnother, { interval: 3_000 }).toBeGreaterThan(0);
  await page.getByRole('link', { name: 'Category created' }).first().click();
  await page.locator('pre.json').waitFor();
  const shown = JSON.parse((await page.locator('pre.json').textContent())!);
  expect(shown).toEqual((await own.call('GET', `/v1/events/${shown.id}`)).body);
  expect(shown.data.category.name).toMatch(/^Fish \d+$/);
});

test('what is typed about a workspace stays when the page reads it again', async () => {
  const own = await consoleApp();
  const { body } = await own.call('POST', '/v1/admin/workspaces', { body: { name: 'Next door' } });
  const { id } = body.workspace;
  const { page } = await signIn(own, {
    path: `/workspaces/${id}`,
    time: Date.now(),
    statuses: [412],
  });
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('Mine');
  await own.call('PATCH', `/v1/admin/workspaces/${id}`, { body: { name: 'Theirs' } });
  // A page that was away for a minute reads again when it is looked at.
  await page.clock.fastForward(61_000);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.locator('.lead').getByText('Theirs').waitFor();
  await expect.poll(() => name.inputValue()).toBe('Mine');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Theirs' }).waitFor();
  await page.getByRole('button', { name: 'Discard my changes' }).click();
  await expect.poll(() => name.inputValue()).toBe('Theirs');
  await name.fill('Ours');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“Ours” saved.').waitFor();
  await page.locator('.lead').getByText('Ours').waitFor();
  await name.fill('Ours again');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('“Ours again” saved.').waitFor();
});
