import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { consoleApp, signIn } from '../support/console.ts';

const app = await consoleApp();

/** Takes pings and deliveries; rejects deliveries while it is broken. */
const received: string[] = [];
let isBroken = false;
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { type } = JSON.parse(body);
  if (type !== undefined) received.push(type);
  response.writeHead(isBroken ? 500 : 204).end(isBroken ? 'out of order' : undefined);
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
afterAll(() => receiver.close());
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;

async function created(): Promise<number> {
  const { body } = await app.call('POST', '/v1/webhooks', { body: { url, types: ['category.*'] } });
  return body.id;
}

test('a webhook is created in the form, and its secret is shown once', async () => {
  const { page } = await signIn(app, { path: '/webhooks' });
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByLabel('URL').fill(url);
  await page.getByRole('radio', { name: 'Selected events' }).check();
  await page.getByRole('checkbox', { name: 'Orders' }).check();
  await page.locator('dialog button[type=submit]').click();
  const secret = (await page.getByText(/^whsec_/).textContent())!;
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.reload();
  await page.getByRole('link', { name: url }).waitFor();
  expect(await page.content()).not.toContain(secret);
  const { body: hooks } = await app.call('GET', '/v1/webhooks');
  expect(hooks[0]).toMatchObject({ url, types: ['order.*'] });
});

test('a URL that the service refuses is marked at its field, and what was typed stays', async () => {
  const { page } = await signIn(app, { path: '/webhooks', statuses: [400] });
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const field = page.getByRole('textbox', { name: 'URL' });
  await field.fill('ftp://shop.example/hooks');
  await page.locator('dialog button[type=submit]').click();
  await page.locator('.field', { has: field }).getByText('must be a URL like').waitFor();
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => field.inputValue()).toBe('ftp://shop.example/hooks');
});

test('ping, switching off and on, and one event again do what they say', async () => {
  const id = await created();
  const { page } = await signIn(app, { path: `/webhooks/${id}` });
  await page.getByRole('button', { name: 'Send ping' }).click();
  await page.getByText('Ping delivered: answered 204.').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const stateOf = async () => (await app.call('GET', `/v1/webhooks/${id}`)).body;
  expect((await stateOf()).state).toBe('disabled');
  // A webhook that is switched off gets nothing, not even an event again.
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await app.call('POST', '/v1/categories', { body: { name: 'Fish' } });
  await expect.poll(async () => (await stateOf()).behind).toBe(0);
  const { body: events } = await app.call('GET', '/v1/events?type=category.created');
  await page.getByRole('button', { name: 'Resend event', exact: true }).click();
  await page.getByRole('textbox', { name: 'Event' }).fill(events[0].id);
  const before = received.filter((type) => type === 'category.created').length;
  await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click();
  await page.getByText(`Event ${events[0].id} delivered.`).waitFor();
  expect(received.filter((type) => type === 'category.created')).toHaveLength(before + 1);
});

test('what is no event is said at its field, in words, until it is changed', async () => {
  const id = await created();
  const { page } = await signIn(app, { path: `/webhooks/${id}`, statuses: [400] });
  const dialog = page.getByRole('dialog');
  for (const name of ['Resend event', 'Replay']) {
    await page.getByRole('button', { name, exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Event' }).fill('nonsense');
    await dialog.locator('button[type=submit]').click();
    await dialog.getByText('Enter the ID or number of an event.').waitFor();
    await expect.poll(() => dialog.locator('.notice.bad').count()).toBe(0);
    await dialog.getByRole('textbox', { name: 'Event' }).fill('evt_1');
    await expect.poll(() => dialog.getByText('Enter the ID or number').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  }
});

test('an event has a page with its payload, and is sent again from there and from each delivery', async () => {
  const id = await created();
  const { page, requests } = await signIn(app, { path: `/webhooks/${id}` });
  await page.getByRole('button', { name: 'Send ping' }).click();
  await page.getByText('Ping delivered: answered 204.').waitFor();
  await app.call('POST', '/v1/categories', { body: { name: 'Newts' } });
  const { body: events } = await app.call('GET', '/v1/events?type=category.created');
  const event = events.at(-1);
  const again = page.getByRole('button', { name: `Resend event ${event.sequence}`, exact: true });
  await again.first().click();
  await page.getByText(`Event ${event.sequence} delivered.`).waitFor();
  const sent = () => requests.filter((each) => each.endsWith('/deliveries')).length;
  expect(sent()).toBe(1);
  // By keyboard, on the page of the event.
  await page
    .getByRole('link', { name: `event ${event.sequence}` })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Category created' }).waitFor();
  await page.getByText('"name": "Newts"').waitFor();
  const resend = page
    .getByRole('region', { name: url })
    .last()
    .getByRole('button', { name: `Resend to ${url}` });
  await expect.poll(() => resend.count()).toBeGreaterThanOrEqual(2);
  await resend.first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(sent).toBe(2);
  await expect.poll(() => resend.count()).toBeGreaterThanOrEqual(3);
  // Nothing is sent to a webhook that is paused.
  await app.call('PATCH', `/v1/webhooks/${id}`, { body: { state: 'disabled' } });
  await page.reload();
  await resend.first().click({ force: true });
  await page.getByText('Nothing is sent to this webhook while it is disabled').first().waitFor();
  expect(sent()).toBe(2);
});

test('attempts are filtered by their outcome, in the address', async () => {
  const id = await created();
  const { page } = await signIn(app, { path: `/webhooks/${id}` });
  isBroken = true;
  await page.getByRole('button', { name: 'Send ping' }).click();
  await page.getByText('Ping failed: answered 500.').waitFor();
  isBroken = false;
  await page.getByLabel('Result').selectOption('status');
  await expect.poll(() => page.url()).toContain('outcome=status');
  await page.getByText('1 delivery on this page').waitFor();
  await page.reload();
  await page.getByText('1 delivery on this page').waitFor();
  await page.getByText('Response').click();
  await page.getByText('out of order').waitFor();
});

test('a change that came between is shown before it is overwritten', async () => {
  const id = await created();
  const { page } = await signIn(app, { path: `/webhooks/${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel(/^Description/).fill('mine');
  await app.call('PATCH', `/v1/webhooks/${id}`, { body: { description: 'theirs' } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Someone else changed this while you had it open.').waitFor();
  await page.getByRole('cell', { name: 'theirs' }).waitFor();
  expect((await app.call('GET', `/v1/webhooks/${id}`)).body.description).toBe('theirs');
  await page.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Webhook saved.').waitFor();
  expect((await app.call('GET', `/v1/webhooks/${id}`)).body.description).toBe('mine');
});

test('deleting names the URL and takes the webhook away', async () => {
  const id = await created();
  const { page } = await signIn(app, { path: `/webhooks/${id}`, statuses: [404] });
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: `Delete webhook to ${url}` }).waitFor();
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  expect((await app.call('GET', `/v1/webhooks/${id}`)).status).toBe(404);
});

test('a change that came between is shown, also if the page has read it again meanwhile', async () => {
  const id = await created();
  const { page } = await signIn(app, { path: `/webhooks/${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Description').fill('mine');
  await app.call('PATCH', `/v1/webhooks/${id}`, { body: { description: 'theirs' } });
  // What the button says that the dialog covers.
  await page.evaluate(() => {
    const buttons = [...document.querySelectorAll('button')];
    buttons.find((each) => each.textContent === 'Refresh')!.click();
  });
  await page.locator('main').getByText('theirs').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('cell', { name: 'theirs' }).waitFor();
  expect((await app.call('GET', `/v1/webhooks/${id}`)).body.description).toBe('theirs');
});
