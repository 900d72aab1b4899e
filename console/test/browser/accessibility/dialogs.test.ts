import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../../support/console.ts';
import { goTo, settle } from '../../support/go-to.ts';
import { LONG_NAME, oneOfEach } from '../../support/screens.ts';
import { faultsInEveryView } from '../../support/violations.ts';

const app = await consoleApp();
const { petId, orderId, webhookId, keyName } = await oneOfEach(app, [LONG_NAME]);

const ended = await app.call('POST', '/v1/store/orders', {
  body: { petId, customer: LONG_NAME.slice(0, 100), complete: true },
});

const keyId = (await app.call('GET', '/v1/keys')).body.find(
  ({ name }: { name: string }) => name === keyName,
).id;

/** Where each dialog is opened, and by which buttons. */
const dialogs: readonly (readonly [path: string, buttons: readonly (string | RegExp)[]])[] = [
  [`/inventory?pet=${petId}`, ['Adjust', 'Set count', 'Adjust stock']],
  ['/ledger', ['Export CSV', /^Undo: /]],
  [`/orders/${orderId}`, ['Fulfil', 'Edit', 'Cancel order', 'Fulfil 2 orders']],
  [`/orders/${ended.body.id}`, ['Remove customer']],
  ['/catalogue', ['New pet', 'Import CSV', `Edit ${LONG_NAME}`, `Delete ${LONG_NAME}`]],
  ['/catalogue/categories', ['New category', `Edit ${LONG_NAME}`, `Delete ${LONG_NAME}`]],
  ['/keys', ['Create key', `Rotate ${keyName}`, `Revoke ${keyName}`]],
  [`/all-keys?id=${keyId}`, [`Revoke ${keyName}`]],
  ['/bans', [`Lift ban of ${keyName}`]],
  ['/webhooks', ['Add webhook']],
  [`/webhooks/${webhookId}`, ['Edit', 'Replay', 'Rotate secret', 'Delete']],
  ['/plan', ['Change to Pro']],
  ['/settings', ['Close workspace']],
  ['/workspaces', ['Create workspace']],
  ['/workspaces/1', ['Suspend', 'Close', 'Add requests']],
];

const open = async (path?: string) => {
  const tab = await signIn(app, { context: { reducedMotion: 'reduce' }, ...(path && { path }) });
  return tab.page;
};

test('4.6, 4.14 no dialog with a name of 200 letters has a violation or is too wide', async () => {
  const page = await open();
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const ban = { workspaceId: 1, keyId, strikes: 1, since: at(0), until: at(3_600_000) };
  await page.route('**/v1/admin/bans*', (route) => route.fulfill({ json: [ban] }));
  for (const [path, buttons] of dialogs) {
    await goTo(page, path);
    for (const name of buttons) {
      await page.locator('main').getByRole('button', { name, exact: true }).first().click();
      await expectNoFaults(page, `${name} on ${path}`);
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
  }
});

test('4.6, 4.14 so it is with a file that is chosen for the import', async () => {
  const page = await open('/catalogue');
  await page.getByRole('button', { name: 'Import CSV' }).click();
  const text = `name,category,status\n${LONG_NAME},${LONG_NAME},\nB,Dogs,${LONG_NAME}`;
  await page
    .getByLabel('CSV file', { exact: true })
    .setInputFiles({ name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
  await expectNoFaults(page, 'the preview of an import');
});

test('4.6, 4.14 so it is with a secret', async () => {
  const page = await open('/keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill(LONG_NAME);
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).waitFor();
  await page.locator('.toast').waitFor({ state: 'detached' });
  await expectNoFaults(page, 'the secret');
});

test('4.6, 4.14 so it is with the question before input is left', async () => {
  const page = await open();
  await goTo(page, `/orders/new?petId=${petId}`);
  await page.getByLabel('Customer').fill(LONG_NAME);
  await page.getByRole('link', { name: 'Ledger' }).click();
  await page.getByRole('button', { name: 'Stay' }).waitFor();
  await expectNoFaults(page, 'the question');
});

test.each([
  ['the palette', 'Control+k', 'combobox'],
  ['the shortcuts', '?', 'heading'],
] as const)('4.6, 4.14 %s have no violation', async (_, key, role) => {
  const { page } = await signIn(app, { context: { reducedMotion: 'reduce' } });
  await page.keyboard.press(key);
  await page.locator('dialog[open]').getByRole(role).first().waitFor();
  expect(await faultsInEveryView(page, { within: 'dialog[open]' })).toEqual([]);
});

async function expectNoFaults(page: Page, what: string): Promise<void> {
  await page.locator('dialog[open]').last().waitFor();
  await settle(page);
  const look = () => faultsOfDialog(page);
  expect(await faultsInEveryView(page, { within: 'dialog[open]', look }), what).toEqual([]);
}

/** What a dialog shows that is wider than itself, and a focus that is nowhere or on its cross. */
function faultsOfDialog(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dialog = document.querySelector('dialog[open]')!;
    const focused = document.activeElement!;
    return [
      ...(dialog.scrollWidth > dialog.clientWidth ? ['scrolls sideways'] : []),
      ...(dialog.querySelector('.dialog-body')!.clientHeight < 100 ? ['is empty'] : []),
      ...(!dialog.contains(focused) ? ['has no focus'] : []),
      ...(focused.getAttribute('aria-label') === 'Close' ? ['has the focus on Close'] : []),
    ];
  });
}
