import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../../server/test/support/app.ts';
import { consoleApp, signIn, stocked } from '../../support/console.ts';
import { goTo } from '../../support/go-to.ts';
import { overflow } from '../../support/layout.ts';

const app = await consoleApp();

/** A workspace without operators, which can be closed. */
async function ownStore(name = 'Happy Paws') {
  const { body } = await app.call('POST', '/v1/admin/workspaces', { body: { name } });
  return { id: body.workspace.id as number, key: body.key.key as string };
}

const stateOf = async ({ call }: TestApp, key: string) =>
  (await call('GET', '/v1/workspace', { key })).body.state;

test('the name and the threshold of low stock are saved, and shown everywhere at once', async () => {
  const { key } = await ownStore();
  const { page } = await signIn(app, { key, path: '/settings' });
  await page.getByRole('textbox', { name: 'Name' }).fill('Cats only');
  await page.getByLabel('Low stock at').fill('many');
  await page.getByText('Enter a whole number from 0 to 1,000,000.').waitFor();
  await page.getByLabel('Low stock at').fill('7');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Settings saved.').waitFor();
  await page.locator('.sidebar').getByText('Cats only').waitFor();
  expect((await app.call('GET', '/v1/workspace', { key })).body).toMatchObject({
    name: 'Cats only',
    lowStockAt: 7,
  });
  await page.getByLabel('Low stock at').fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect
    .poll(async () => (await app.call('GET', '/v1/workspace', { key })).body)
    .not.toHaveProperty('lowStockAt');
});

test('days of the chart are those of the time zone that was chosen, in this browser', async () => {
  const { key } = await ownStore();
  const { pets } = await stocked(app, { Beagle: 3 }, key);
  await app.call('POST', '/v1/store/orders', { key, body: { petId: pets.Beagle } });
  const { page, requests, open } = await signIn(app, { key, path: '/settings' });
  await page.getByLabel('Time zone of days').selectOption('Pacific/Auckland');
  await open('');
  await page.getByText('by Pacific/Auckland day').waitFor();
  await page
    .getByRole('slider', { name: /Pacific\/Auckland day over 14 days: 1 in all/ })
    .waitFor();
  expect(requests.filter((each) => each.includes('createdFrom')).length).toBe(1);
  await open('/settings');
  await page.getByLabel('Time zone of days').selectOption('UTC');
  await open('');
  await page.getByText('by UTC day').waitFor();
  expect(requests.filter((each) => each.includes('createdFrom')).length).toBe(1);
});

test.each(['Happy  Paws', 'חיות טובות'])(
  '%s is closed by its name as it is copied from the dialog',
  async (name) => {
    const { key } = await ownStore(name);
    const { page } = await signIn(app, { key, path: '/settings' });
    await page.getByRole('button', { name: 'Close workspace' }).click();
    const dialog = page.getByRole('dialog');
    const copied = await dialog.locator('label').evaluate((label) => {
      const text = label.firstChild!;
      const [start, end] = [...'“”'].map((quote) => text.textContent!.indexOf(quote));
      getSelection()!.setBaseAndExtent(text, start! + 1, text, end!);
      return getSelection()!.toString();
    });
    await dialog.getByRole('textbox').fill(` ${copied}\t`);
    await dialog.getByRole('button', { name: 'Close workspace' }).click();
    await page.getByText('Workspace closed.').waitFor();
    expect(await stateOf(app, key)).toBe('closing');
  },
);

test('a workspace is closed by its exact name, says so on every page, and is reopened', async () => {
  const { key } = await ownStore();
  const { page, open } = await signIn(app, { key, path: '/settings' });
  await page.getByRole('button', { name: 'Close workspace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('all its data is deleted').waitFor();
  await dialog.getByRole('textbox').fill('happy paws');
  await dialog.getByRole('textbox').press('Enter');
  expect(await stateOf(app, key)).toBe('active');
  await dialog.getByRole('textbox').fill('Happy Paws');
  await dialog.getByRole('button', { name: 'Close workspace' }).click();
  await page.getByText('Workspace closed.').waitFor();
  const { body } = await app.call('GET', '/v1/workspace', { key });
  expect(body).toMatchObject({ state: 'closing', closedBy: 'owner' });
  for (const path of ['', '/inventory', '/catalogue', '/settings']) {
    await open(path);
    await page.getByText(/^Happy Paws is closing\. Its data is deleted on \d+ \w+ \d{4}/).waitFor();
  }
  // What would change something is off, and says why.
  await open('/catalogue/categories');
  const create = page.getByRole('button', { name: 'New category' }).first();
  await expect
    .poll(() => create.getAttribute('title'))
    .toBe('This workspace is closing and cannot be changed');
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByText('Workspace reopened.').waitFor();
  await expect.poll(() => page.getByText('is closing').count()).toBe(0);
  expect(await stateOf(app, key)).toBe('active');
});

test('what the operator closed, the owner cannot reopen', async () => {
  const { id, key } = await ownStore();
  await app.call('POST', `/v1/admin/workspaces/${id}/close`, {
    body: { name: 'Happy Paws', reason: 'The contract has ended' },
  });
  const { page } = await signIn(app, { key });
  await page.getByText('Only the operator of this service can reopen it.').waitFor();
  await page.getByText('Reason: The contract has ended').waitFor();
  expect(await page.getByRole('button', { name: 'Reopen' }).count()).toBe(0);
});

test('a workspace that is suspended meanwhile shows since when and why, and goes on when it is resumed', async () => {
  const { id, key } = await ownStore();
  const { page } = await signIn(app, { key, statuses: [403] });
  await app.call('POST', `/v1/admin/workspaces/${id}/suspend`, {
    body: { reason: 'Invoice 42 is unpaid' },
  });
  await goTo(page, '/catalogue');
  await page.getByRole('heading', { level: 1, name: 'Happy Paws is suspended' }).waitFor();
  await page.getByText('Invoice 42 is unpaid').waitFor();
  await page.getByText(/^Since \d+ \w+ \d{4}/).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await app.call('POST', `/v1/admin/workspaces/${id}/resume`);
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
  await page.getByText('No pets yet').waitFor();
});

test('all data is downloaded as one file, also while the workspace is closing', async () => {
  const { key } = await ownStore();
  await app.call('POST', '/v1/workspace/close', { key, body: { name: 'Happy Paws' } });
  const { page } = await signIn(app, { key, path: '/settings' });
  const waiting = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download all data' }).click();
  const download = await waiting;
  expect(download.suggestedFilename()).toMatch(/\.tar\.gz$/);
  expect(statSync(await download.path()).size).toBeGreaterThan(100);
});

test('a key without manage sees the settings, and changes none', async () => {
  const { id } = await ownStore();
  const { page } = await signIn(app, { key: await app.addKey(['read'], id), path: '/settings' });
  await page.getByRole('textbox', { name: 'Name' }).waitFor();
  for (const name of ['Save', 'Download all data', 'Close workspace']) {
    const button = page.getByRole('button', { name, exact: true });
    await expect.poll(() => button.getAttribute('title')).toBe('Needs the scope “manage”');
  }
});

test('a workspace whose key operates the service is not closed', async () => {
  const { page } = await signIn(app, { path: '/settings', statuses: [409] });
  const { name } = (await app.call('GET', '/v1/workspace')).body;
  await page.getByRole('button', { name: 'Close workspace' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Close workspace' }).click();
  await page.getByText('A key of this workspace operates the service').waitFor();
});
