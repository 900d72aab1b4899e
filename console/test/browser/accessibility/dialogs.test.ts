import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../../support/console.ts';
import { goTo, settle } from '../../support/go-to.ts';
import { LONG_NAME, oneOfEach } from '../../support/screens.ts';
import { faultsInEveryView } from '../../support/violations.ts';

const app = await consoleApp();
const { petId, orderId, webhookId, keyName } = await oneOfEach(app, [LONG_NAME]);

/** Where each dialog is opened, and by which buttons. */
const dialogs: readonly (readonly [path: string, buttons: readonly string[]])[] = [
  [`/inventory?pet=${petId}`, ['Adjust', 'Set count', 'Adjust stock']],
  ['/ledger', ['Export CSV']],
  [`/orders/${orderId}`, ['Fulfil', 'Edit', 'Cancel order']],
  ['/catalogue', ['New pet', 'Import CSV', `Edit ${LONG_NAME}`, `Delete ${LONG_NAME}`]],
  ['/catalogue/categories', ['New category', `Edit ${LONG_NAME}`, `Delete ${LONG_NAME}`]],
  ['/keys', ['Create key', `Rotate ${keyName}`, `Revoke ${keyName}`]],
  ['/webhooks', ['Add webhook']],
  [`/webhooks/${webhookId}`, ['Edit', 'Replay', 'Rotate secret', 'Delete']],
  ['/plan', ['Change to Pro']],
  ['/settings', ['Close workspace']],
  ['/workspaces', ['Create workspace']],
  ['/workspaces/1', ['Suspend', 'Close']],
];

test('4.6, 4.14 no dialog with a name of 200 letters has a violation or is too wide', async () => {
  const { page } = await signIn(app, { context: { reducedMotion: 'reduce' } });
  for (const [path, buttons] of dialogs) {
    await goTo(page, path);
    for (const name of buttons) {
      await page.locator('main').getByRole('button', { name, exact: true }).first().click();
      await page.locator('dialog[open]').waitFor();
      await settle(page);
      const look = () => faultsOfDialog(page);
      const faults = await faultsInEveryView(page, { within: 'dialog[open]', look });
      expect(faults, `${name} on ${path}`).toEqual([]);
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
  }
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
