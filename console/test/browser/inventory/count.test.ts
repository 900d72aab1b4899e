// A stock-take: many counts, one request, and no sale lost.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

const ledgerOf = async (petId: number) =>
  (await app.call('GET', `/v1/inventory/${petId}/movements?sort=-id`)).body;
const quantityOf = async (petId: number) =>
  (await app.call('GET', `/v1/inventory/${petId}`)).body.quantity;

async function startCount(page: Page, word: string): Promise<void> {
  await page.getByRole('radio', { name: 'A search' }).check();
  await page.getByLabel('Words in the name').fill(word);
  await page.getByRole('button', { name: 'Start counting' }).click();
  await page.getByRole('list', { name: 'Counts' }).waitFor();
}

test('by keyboard: Enter goes on, a reload keeps the count, and only differences are sent', async () => {
  const { pets } = await stocked(app, { 'Anole green': 4, 'Anole brown': 6, 'Anole blue': 2 });
  const { page } = await signIn(app, { path: '/inventory/count' });
  await startCount(page, 'anole');
  const field = (name: string) => page.getByLabel(`Count of ${name}`);
  expect(await page.getByText('expected 4').count()).toBe(0);
  await field('Anole green').focus();
  await page.keyboard.type('3');
  await page.getByText('expected 4').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('6');
  await page.keyboard.press('Enter');
  await page.getByText('2 of 3 counted · 1 differs').waitFor();
  await page.reload();
  await page.getByText('2 of 3 counted · 1 differs').waitFor();
  await expect.poll(() => field('Anole green').inputValue()).toBe('3');
  await field('Anole blue').focus();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Differences' });
  await dialog.getByRole('row', { name: 'Anole green 4 3 −1' }).waitFor();
  expect(await dialog.getByRole('row', { name: /brown/ }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Send 2 changes' }).click();
  await page.getByText('2 counts saved.').waitFor();
  const counts = await Promise.all(Object.values(pets).map(quantityOf));
  expect(counts).toEqual([3, 6, 5]);
  expect((await ledgerOf(pets['Anole brown']!)).at(0).cause).not.toBe('Stocktake');
  expect((await ledgerOf(pets['Anole green']!))[0]).toMatchObject({
    cause: 'set',
    reason: 'Stocktake',
  });
  await page.getByRole('button', { name: 'Finish', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Finish' }).click();
  await page.getByRole('button', { name: 'Start counting' }).waitFor();
});

test('by touch: a sale in between is a conflict of its row, and the sale stays', async () => {
  const { pets } = await stocked(app, { 'Tegu red': 5, 'Tegu black': 5 });
  const { page } = await signIn(app, {
    path: '/inventory/count',
    width: 390,
    context: { hasTouch: true, isMobile: true },
  });
  await startCount(page, 'tegu');
  await page.getByLabel('Count of Tegu red').tap();
  await page.getByLabel('Count of Tegu red').fill('4');
  await page.getByLabel('Count of Tegu black').fill('9');
  const body = { petId: pets['Tegu red'], quantity: 2, complete: true };
  await app.call('POST', '/v1/store/orders', { body });
  const review = page.getByRole('button', { name: 'Review and send' });
  // The tabs of the phone do not cover it, however long the list is.
  const isFree = await review.evaluate((button) => {
    document.querySelector<HTMLElement>('.count-list')!.style.minBlockSize = '3000px';
    const { x, y, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
  expect(isFree).toBe(true);
  await review.tap();
  await page.getByRole('button', { name: 'Send 2 changes' }).tap();
  await page.getByText('1 count saved, 1 to check.').waitFor();
  // It says what came between, and has the focus.
  const changed = /Stock changed while you counted: now 3 on hand\. Fulfilled · Order \d+: −2\./;
  await page.getByRole('listitem').getByText(changed).waitFor();
  const red = page.getByLabel('Count of Tegu red');
  await expect.poll(() => red.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.getByText('2 of 2 counted · 1 differs · 1 to check').waitFor();
  await page.getByRole('button', { name: 'Next to check' }).waitFor();
  expect(await quantityOf(pets['Tegu red']!)).toBe(3);
  expect(await quantityOf(pets['Tegu black']!)).toBe(9);
  await page.getByLabel('Count of Tegu red').fill('2');
  await page.getByRole('button', { name: 'Review and send' }).tap();
  await page.getByRole('button', { name: 'Send 1 change' }).tap();
  await expect.poll(() => quantityOf(pets['Tegu red']!)).toBe(2);
});

test.each([390, 1000])('at %i pixels no message covers a button below the count', async (width) => {
  await stocked(app, { [`Frog red ${width}`]: 5, [`Frog blue ${width}`]: 5 });
  const { page } = await signIn(app, {
    path: '/inventory/count',
    context: { viewport: { width, height: 844 } },
  });
  await startCount(page, `frog ${width}`);
  await page.getByLabel(`Count of Frog red ${width}`).fill('4');
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('.count-list')!.style.minBlockSize = '3000px';
    // The message goes after some seconds. Here it stays, however long the test takes.
    const { setTimeout } = window;
    const longer = (work: () => void, ms = 0) => setTimeout(work, ms < 5_000 ? ms : 600_000);
    Object.assign(window, { setTimeout: longer });
  });
  await page.getByRole('button', { name: 'Send 1 change' }).click();
  await page.getByText('1 count saved.').waitFor();
  const covered = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.count-footer button, dialog .actions button')]
        .filter((button) => {
          const { x, y, width, height } = button.getBoundingClientRect();
          const corners = [x + 2, x + width - 2].flatMap((each) => [
            document.elementFromPoint(each, y + 2),
            document.elementFromPoint(each, y + height - 2),
          ]);
          return corners.some((each) => each?.closest('.toasts'));
        })
        .map((button) => button.textContent),
    );
  expect(await covered()).toEqual([]);
  await page.getByLabel(`Count of Frog blue ${width}`).fill('4');
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.getByRole('dialog', { name: 'Differences' }).getByText('1 count saved.').waitFor();
  expect(await covered()).toEqual([]);
});

test('a sale before a pet is counted is no conflict, and a likely slip comes first', async () => {
  const { pets } = await stocked(app, { 'Chameleon a': 4, 'Chameleon b': 3, 'Chameleon c': 2 });
  const { page } = await signIn(app, { path: '/inventory/count' });
  await startCount(page, 'chameleon');
  await page.getByLabel('Show expected counts').check();
  await page.getByText('expected 4').waitFor();
  const body = { petId: pets['Chameleon a'], quantity: 1, complete: true };
  await app.call('POST', '/v1/store/orders', { body });
  await page.getByText('expected 4').waitFor({ state: 'detached' });
  await page.getByLabel('Count of Chameleon a').fill('2');
  await page.getByText('−1', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Next uncounted' }).click();
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await page.keyboard.type('22');
  await page.getByRole('button', { name: 'Review and send' }).click();
  const first = page.getByRole('dialog').getByRole('row').nth(1);
  await first.getByText('Large change. Check the number.').waitFor();
  await expect.poll(() => first.textContent()).toContain('Chameleon c');
  await page.getByRole('button', { name: 'Send 3 changes' }).click();
  await page.getByText('3 counts saved.').waitFor();
  expect(await Promise.all(Object.values(pets).map(quantityOf))).toEqual([2, 4, 22]);
});

test('a lost connection loses nothing: the same count is sent again, once', async () => {
  const { pets } = await stocked(app, { 'Gecko tokay': 5 });
  const { page, context } = await signIn(app, { path: '/inventory/count', statuses: [0] });
  await startCount(page, 'gecko');
  await context.setOffline(true);
  await page.getByLabel('Count of Gecko tokay').fill('8');
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.getByRole('button', { name: 'Send 1 change' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Send 1 change' }).click();
  await page.getByText('1 count saved.').waitFor();
  expect(await quantityOf(pets['Gecko tokay']!)).toBe(8);
  expect((await ledgerOf(pets['Gecko tokay']!)).length).toBe(3);
});

test('finishing while a count is not sent says so, and sends it first', async () => {
  const { pets } = await stocked(app, { 'Olm red': 4, 'Olm green': 6 });
  const { page } = await signIn(app, { path: '/inventory/count' });
  await startCount(page, 'olm');
  await page.getByLabel('Count of Olm red').fill('3');
  await page.getByLabel('Count of Olm green').fill('7x');
  const dialog = page.getByRole('dialog');
  const finish = page.getByRole('button', { name: 'Finish', exact: true });
  await finish.click();
  await dialog.getByText('2 counts are not saved yet.').waitFor();
  await dialog.getByRole('button', { name: 'Review and send' }).click();
  await dialog.getByRole('button', { name: 'Send 1 change' }).click();
  await page.getByText('1 count saved.').waitFor();
  expect(await quantityOf(pets['Olm red']!)).toBe(3);
  // What is no number cannot be sent.
  await finish.click();
  await dialog.getByText('1 count is not saved yet.').waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: 'Review' }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Keep counting' }).click();
  await expect.poll(() => page.getByLabel('Count of Olm green').inputValue()).toBe('7x');
  await finish.click();
  await dialog.getByRole('button', { name: 'Discard and finish' }).click();
  await page.getByRole('button', { name: 'Start counting' }).waitFor();
});

test('a count of which nothing was saved is not shown as done', async () => {
  const { pets } = await stocked(app, { 'Axolotl pink': 4, 'Axolotl grey': 4 });
  const { page } = await signIn(app, { path: '/inventory/count' });
  await startCount(page, 'axolotl');
  await page.getByLabel('Count of Axolotl pink').fill('3');
  await page.getByLabel('Count of Axolotl grey').fill('3');
  await app.call('PATCH', `/v1/inventory/${pets['Axolotl pink']}`, {
    body: { quantity: 2, reason: 'Damaged' },
  });
  await app.call('DELETE', `/v1/pets/${pets['Axolotl grey']}`);
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.getByRole('button', { name: 'Send 2 changes' }).click();
  await page.locator('.toast.bad').getByText('No count saved, 2 to check.').waitFor();
  await page.getByText('This pet no longer exists. Someone may have deleted it.').waitFor();
});

test('signing out asks before it ends a count, from any screen', async () => {
  await stocked(app, { 'Axolotl white': 4 });
  const { page, open } = await signIn(app, { path: '/inventory/count' });
  await startCount(page, 'axolotl');
  await page.getByLabel('Count of Axolotl white').fill('3');
  const signOut = async () => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
  };
  await open('/orders');
  await signOut();
  await page.getByRole('button', { name: 'Stay', exact: true }).click();
  await open('/inventory/count');
  await expect.poll(() => page.getByLabel('Count of Axolotl white').inputValue()).toBe('3');
  await signOut();
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByLabel('API key').waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});

test('what a scanner types, here or in a field, jumps to its pet', async () => {
  const { pets } = await stocked(app, { 'Skink 4006381333931': 5, 'Skink 2': 7 });
  const { page } = await signIn(app, { path: '/inventory/count' });
  await startCount(page, 'skink');
  const isFocused = (name: string) =>
    page.getByLabel(`Count of ${name}`).evaluate((each) => each === document.activeElement);
  await page.getByLabel('Scan or find').fill('skink 2');
  await page.keyboard.press('Enter');
  await expect.poll(() => isFocused('Skink 2')).toBe(true);
  await page.keyboard.type('skink 4006381333931');
  await page.keyboard.press('Enter');
  await expect.poll(() => isFocused('Skink 4006381333931')).toBe(true);
  await expect.poll(() => page.getByLabel('Count of Skink 2').inputValue()).toBe('');
  await page.getByLabel('Scan or find').fill(`${pets['Skink 2']}`);
  await page.keyboard.press('Enter');
  await expect.poll(() => isFocused('Skink 2')).toBe(true);
  await page.getByLabel('Scan or find').fill('nothing');
  await page.keyboard.press('Enter');
  await page.getByText('No pet in this count has “nothing”').waitFor();
  await page.getByLabel('Show expected counts').check();
  await page.getByText('expected 7').waitFor();
});

test('a pet that is scanned before Enter takes no part of the count before it', async () => {
  const { pets } = await stocked(app, { 'Gecko day': 5, 'Gecko night': 7 });
  const [day, night] = Object.values(pets);
  await app.call('PATCH', `/v1/pets/${day}`, { body: { reference: '40012345' } });
  await app.call('PATCH', `/v1/pets/${night}`, { body: { reference: '4006381333931' } });
  const { page } = await signIn(app, { path: '/inventory/count' });
  await startCount(page, 'gecko');
  const count = (name: string) => page.getByLabel(`Count of ${name}`);
  const isFocused = (name: string) =>
    count(name).evaluate((each) => each === document.activeElement);
  const scan = async (text: string, name: string) => {
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await expect.poll(() => isFocused(name)).toBe(true);
  };
  await count('Gecko day').focus();
  await scan('124006381333931', 'Gecko night');
  await scan('840012345', 'Gecko day');
  await expect.poll(() => count('Gecko night').inputValue()).toBe('8');
  // The count of a pet that was scanned again stays.
  await scan('4006381333931', 'Gecko night');
  await expect.poll(() => count('Gecko day').inputValue()).toBe('12');
});

test('what another tab types into an earlier count does not appear in a later one', async () => {
  await stocked(app, { 'Newt alpine': 5, 'Newt marbled': 7 });
  const { page, context } = await signIn(app, { path: '/inventory/count' });
  await startCount(page, 'newt');
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByLabel('Count of Newt alpine').fill('99');
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Finish' }).click();
  await startCount(page, 'newt');
  await other.getByLabel('Count of Newt marbled').fill('98');
  await page.reload();
  await page.getByText('0 of 2 counted').waitFor();
});
