import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { Beagle: 3 });

/** What fails then is said in a message, which stays however long the test takes. */
async function denyCopying(page: Page): Promise<void> {
  await page.evaluate(() => {
    // A page over plain http has no clipboard and copies by a command.
    if (isSecureContext) navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));
    else document.execCommand = () => false;
    // The message goes after some seconds. Here it stays, however long the test takes.
    const { setTimeout } = window;
    const longer = (work: () => void, ms = 0) => setTimeout(work, ms < 5_000 ? ms : 600_000);
    Object.assign(window, { setTimeout: longer });
  });
}

test('on a phone, messages cover no button of an open dialog', async () => {
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Beagle}`, width: 390 });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('As curl').click();
  await denyCopying(page);
  const action = dialog.getByRole('button', { name: /^Adjust/ });
  const before = await action.boundingBox();
  for (let press = 0; press < 2; press++)
    await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.locator('.toast').nth(1).waitFor();
  expect(await action.boundingBox()).toEqual(before);
  const covered = await dialog.evaluate((element) => {
    const messages = [...element.querySelectorAll('.toast')].map((each) =>
      each.getBoundingClientRect(),
    );
    return [...element.querySelectorAll('.dialog-body button')].flatMap((button) => {
      const { top, bottom } = button.getBoundingClientRect();
      return messages.some((each) => each.top < bottom && top < each.bottom)
        ? [button.outerHTML]
        : [];
    });
  });
  expect(covered).toEqual([]);
});

test('a message is drawn over an open dialog, and is in it for screen readers', async () => {
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Beagle}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('As curl').click();
  await denyCopying(page);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  const toast = dialog.getByRole('status').getByText('does not allow copying here');
  await toast.waitFor();
  const isOnTop = await toast.evaluate((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  expect(isOnTop).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('does not allow copying here').waitFor();
});
