import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { CONSOLE_FOLDER } from '../../../../server/src/http/pages/console.ts';
import type { TestApp } from '../../../../server/test/support/app.ts';
import { freePort } from '../../../../server/test/support/free-port.ts';
import { firstKeyOf, startService } from '../../../../server/test/support/service.ts';
import { temporaryFolder } from '../../../../server/test/support/temporary-folder.ts';
import { reachService } from '../../support/chromium.ts';
import { consoleApp, newTab, signIn, stocked } from '../../support/console.ts';

test('4.8 a restart under an open console shows a banner, and then it goes on by itself', async () => {
  const app = await consoleApp({ environment: { PETSTORE_PORT: String(await freePort()) } });
  await stocked(app, { Beagle: 3 });
  const { page } = await signIn(app, { path: '/inventory', statuses: [0, 502, 503] });
  await page.getByRole('link', { name: 'Beagle' }).waitFor();
  // The way to the service is cut, as it is while the service restarts; the page must not depend on how long.
  await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
  await app.restart();
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByText('The service does not answer.').waitFor();
  await page.unrouteAll();
  await page.getByText('No open orders').waitFor();
  await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
});

test('a kill under an open console shows a banner, and it goes on once the service is back', async () => {
  const folder = temporaryFolder();
  const environment = {
    PETSTORE_PORT: String(await freePort()),
    PETSTORE_ADDRESS_PER_MINUTE: '1000',
  };
  const killed = await startService(folder.path, environment);
  const app = { address: killed.address, key: firstKeyOf(killed) } as TestApp;
  const { page } = await signIn(app, { path: '/inventory', statuses: [0] });
  await page.getByText('No pets yet').waitFor();
  killed.process.kill('SIGKILL');
  await killed.exited;
  await page.getByRole('link', { name: 'Ledger', exact: true }).click();
  await page.getByText('The service does not answer.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  await startService(folder.path, environment);
  // Nothing is pressed.
  await page.getByText('No stock changes yet').waitFor();
  await page.getByText('The service does not answer.').waitFor({ state: 'detached' });
  folder.remove();
});

const isMore = (name: string) => name.startsWith('more-');

test('a page of an older build whose files are gone says so and loads the new page', async () => {
  const folder = join(temporaryFolder().path, 'dist');
  cpSync(CONSOLE_FOLDER, folder, { recursive: true });
  const app = await consoleApp({ parts: { consoleFolder: folder } });
  const gone = readdirSync(folder).filter(isMore);
  for (const name of gone) rmSync(join(folder, name));
  const { page } = await signIn(app, { statuses: [404] });
  let loads = 0;
  page.on('load', () => loads++);
  await page.getByRole('link', { name: 'Inventory' }).click();
  // It loads anew once by itself; the files are still gone, so it says so and stops there.
  await page.getByText('The console was updated').waitFor();
  await expect.poll(() => loads).toBe(1);
  await page.getByText('The console was updated').waitFor();
  // The upgrade of this node ends: its files are there.
  for (const name of gone) cpSync(join(CONSOLE_FOLDER, name), join(folder, name));
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByText('No pets yet').waitFor();
  expect(loads).toBe(2);
});

test('a page whose script is not there yet says what to do', async () => {
  const app = await consoleApp();
  const { page, open } = await newTab(app, { statuses: [404] });
  await page.route('**/console/*.js', (route) => route.fulfill({ status: 404 }));
  await open('');
  await page.getByText('The console is being loaded.').waitFor();
  await page.unrouteAll();
  await page.getByRole('link', { name: 'Load it again' }).click();
  await page.getByLabel('API key').waitFor();
});

test('4.8 without a network the page says so, and continues by itself when there is one', async () => {
  const app = await consoleApp();
  const { page, context } = await signIn(app, { path: '/catalogue', statuses: [0] });
  await page.getByText('No pets yet').waitFor();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
  await page.getByRole('status').getByText('You are offline.').waitFor();
  await page.getByText('This loads when the network is back.').waitFor();
  expect(await page.getByText('Waiting for the limit').count()).toBe(0);
  await context.setOffline(false);
  await page.getByText('You are offline').first().waitFor({ state: 'detached' });
  await page.getByText('No open orders').waitFor();
});

test('4.8 the error of a write goes when the service that was away answers again', async () => {
  const app = await consoleApp();
  const { page, context } = await signIn(app, { path: '/catalogue/categories', statuses: [0] });
  await page.getByRole('button', { name: 'New category' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Parrots');
  await context.setOffline(true);
  await dialog.getByRole('button', { name: /^Create/ }).click();
  await dialog
    .getByRole('alert')
    .getByText('There is no connection to the service. A change may not be saved.')
    .waitFor();
  expect(await page.locator('.banner').textContent()).toContain('Nothing is loaded or saved.');
  await context.setOffline(false);
  await dialog
    .getByRole('alert')
    .getByText(/^No answer came, so this may be saved/)
    .waitFor();
  expect(await dialog.getByText('There is no connection').count()).toBe(0);
  await dialog.getByRole('button', { name: /^Create/ }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('an order whose answer was lost is not placed again with another note, unless the user insists', async () => {
  const app = await consoleApp();
  const { pets } = await stocked(app, { Heron: 9 });
  const { page } = await signIn(app, {
    path: `/orders/new?petId=${pets.Heron}`,
    statuses: [0, 422],
  });
  const create = page.getByRole('button', { name: 'Create order' });
  const ordered = async () => (await app.call('GET', '/v1/store/orders')).body.length;
  await page.getByLabel('Effect on stock').waitFor();
  await page.route('**/v1/store/orders', async (route) => {
    await reachService(route);
    await route.abort();
  });
  await create.click();
  await page.getByRole('alert').getByText('A change may not be saved.').waitFor();
  expect(await ordered()).toBe(1);
  await page.unroute('**/v1/store/orders');
  await page.getByRole('button', { name: 'Try now' }).click();
  await page
    .getByRole('alert')
    .getByText(/^No answer came, so this may be saved/)
    .waitFor();
  await page.getByLabel('Note').fill('Call first');
  await create.click();
  await page
    .getByRole('alert')
    .getByText(/^Your earlier attempt was saved, and this one was not\./)
    .waitFor();
  expect(await ordered()).toBe(1);
  await create.click();
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  expect(await ordered()).toBe(2);
});

test('a page that is sending asks before it is closed, and goes on if it stays', async () => {
  const app = await consoleApp();
  const { pets } = await stocked(app, { Heron: 9 });
  const orders = Array(3).fill({ petId: pets.Heron });
  await app.call('POST', '/v1/store/orders/batch', { body: { orders } });
  const { page, open } = await signIn(app, { path: `/orders/new?petId=${pets.Heron}` });
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/store/orders{,/*}', async (route) => {
    if (route.request().method() !== 'GET') await promise;
    await route.continue();
  });
  const leave = () => page.evaluate(() => location.reload());
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByText('Saving …').waitFor();
  await leave();
  await expect.poll(() => asked).toEqual(['beforeunload']);
  resolve();
  await page.getByText(/^Order \d+ created/).waitFor();
  await open('/orders');
  const second = Promise.withResolvers<void>();
  await page.unrouteAll();
  await page.route('**/v1/store/orders/*', async (route) => {
    await second.promise;
    await route.continue();
  });
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Fulfil 4 orders' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fulfil', exact: true }).click();
  await page.getByText('0 of 4 …').waitFor();
  await leave();
  await expect.poll(() => asked.length).toBe(2);
  second.resolve();
  await page.getByText('4 orders fulfilled.').waitFor();
  await open('/orders');
  expect(asked).toHaveLength(2);
});

test('a change of which no answer came is not called saved, and not called refused', async () => {
  const app = await consoleApp();
  const { pets } = await stocked(app, { Heron: 3 });
  const { page } = await signIn(app, { path: '/catalogue', statuses: [0] });
  // It is made, and its answer is lost.
  await page.route('**/v1/pets/*', async (route) => {
    if (route.request().method() === 'PATCH') await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Hold Heron' }).click();
  await page.getByRole('row', { name: /Heron/ }).getByText('A change may not be saved.').waitFor();
  expect(await page.getByText(/Not saved|is on hold and cannot/).count()).toBe(0);
  const { body } = await app.call('GET', `/v1/pets/${pets.Heron}`);
  expect(body.status).toBe('pending');
});

test('a change whose answer was lost shows when the service answers again, and is not made twice', async () => {
  const app = await consoleApp();
  const { pets } = await stocked(app, { Heron: 9 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Heron}`, statuses: [0] });
  const lose = async (route: Route) => {
    await reachService(route);
    await route.abort();
  };
  await page.route('**/adjustments', lose);
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Change').fill('3');
  await dialog.getByRole('button', { name: 'Adjust by +3' }).click();
  await dialog.getByText('A change may not be saved.').waitFor();
  await page.unroute('**/adjustments');
  await page.getByRole('button', { name: 'Try now', includeHidden: true }).dispatchEvent('click');
  await dialog.getByText('Stock changed while you had this open.').waitFor();
  await expect.poll(() => page.locator('.figures dd').first().textContent()).toBe('12');
  await dialog.getByRole('button', { name: 'Adjust by +3' }).click();
  await page.getByText('Heron: 12 on hand.').waitFor();
});
