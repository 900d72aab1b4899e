// Stock is changed for the pet that was meant, by the number that was meant, and never in the past.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

const quantityOf = async (petId: number) =>
  (await app.call('GET', `/v1/inventory/${petId}`)).body.quantity;

test('4.2, 4.16 "Adjust stock" asks for the pet; the first match shows its units and is taken by Enter', async () => {
  const { pets } = await stocked(app, { Aardvark: 4, Zorilla: 7 });
  const { page } = await signIn(app, { path: '/inventory' });
  await page.getByRole('link', { name: 'Aardvark' }).waitFor();
  await page.getByRole('button', { name: 'Adjust stock' }).click();
  const dialog = page.getByRole('dialog');
  const picker = dialog.getByRole('combobox', { name: 'Pet' });
  await expect.poll(() => picker.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.keyboard.type('zor');
  await dialog.getByRole('option', { name: 'Zorilla 7 available', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const change = dialog.getByLabel('Change');
  await expect.poll(() => change.evaluate((each) => each === document.activeElement)).toBe(true);
  await page.keyboard.type('-2');
  await page.keyboard.press('Enter');
  await page.getByText('Zorilla: 5 on hand.').waitFor();
  expect([await quantityOf(pets.Aardvark!), await quantityOf(pets.Zorilla!)]).toEqual([4, 5]);
});

test('4.2 what was typed stays when another pet is chosen', async () => {
  const { pets } = await stocked(app, { Numbat: 4, Quokka: 7 });
  const { page } = await signIn(app, { path: '/inventory' });
  await page.getByRole('button', { name: 'Adjust stock' }).click();
  const dialog = page.getByRole('dialog');
  const choose = async (name: string, units: number) => {
    await dialog.getByRole('combobox', { name: 'Pet' }).fill(name);
    await dialog.getByRole('option', { name, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText(`${units} on hand, 0 reserved`).waitFor();
  };
  await choose('Numbat', 4);
  await dialog.getByLabel('Change').fill('-3');
  await dialog.getByLabel('Reference').fill('slip 12');
  await choose('Quokka', 7);
  await expect.poll(() => dialog.getByLabel('Change').inputValue()).toBe('-3');
  await expect.poll(() => dialog.getByLabel('Reference').inputValue()).toBe('slip 12');
  await dialog.getByRole('button', { name: 'Adjust by −3' }).click();
  await page.getByText('Quokka: 4 on hand.').waitFor();
  expect([await quantityOf(pets.Numbat!), await quantityOf(pets.Quokka!)]).toEqual([4, 4]);
});

test('4.3 a typed count replaces the one that was there, by keyboard and by mouse', async () => {
  const { pets } = await stocked(app, { Bongo: 18 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Bongo}` });
  const open = page.getByRole('button', { name: 'Set count' });
  const field = page.getByLabel('New count');
  await open.click();
  await page.keyboard.type('19');
  await expect.poll(() => field.inputValue()).toBe('19');
  await page.getByLabel(/^Reason/).click();
  await field.click();
  await page.keyboard.type('20');
  await expect.poll(() => field.inputValue()).toBe('20');
  await page.keyboard.press('Enter');
  await page.getByText('Bongo: 20 on hand.').waitFor();
  expect(await quantityOf(pets.Bongo!)).toBe(20);
});

test('4.3 an adjustment by more than tenfold asks, too; 5.4 a minus can be typed; 4.21 none is held', async () => {
  const { pets } = await stocked(app, { Dugong: 3 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Dugong}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const field = page.getByLabel('Change');
  // The number pad of a phone has no minus.
  expect(await field.getAttribute('inputmode')).toBe('text');
  await field.fill('−4');
  await page.getByText('The count cannot go below 0.').waitFor();
  await field.fill('40');
  await page.getByRole('button', { name: 'Adjust by +40' }).click();
  await page.getByText('This is a large change: from 3 to 43.').waitFor();
  expect(await quantityOf(pets.Dugong!)).toBe(3);
  await page.getByRole('button', { name: 'Yes, 43 on hand' }).click();
  await page.getByText('Dugong: 43 on hand.').waitFor();
});

test('4.3 a change by more than tenfold asks once more, and 5.2 its message offers Undo', async () => {
  const { pets } = await stocked(app, { Caracal: 18 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Caracal}` });
  await page.getByRole('button', { name: 'Set count' }).click();
  await page.getByLabel('New count').fill('1819');
  await page.keyboard.press('Enter');
  await page.getByText('This is a large change: from 18 to 1,819.').waitFor();
  expect(await quantityOf(pets.Caracal!)).toBe(18);
  // Another number is another question.
  await page.getByLabel('New count').fill('181');
  await page.getByRole('button', { name: 'Set to 181' }).click();
  await page.getByRole('button', { name: 'Yes, 181 on hand' }).click();
  await page.getByText('Caracal: 181 on hand.').waitFor();
  expect(await quantityOf(pets.Caracal!)).toBe(181);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText('Undone: 18 units on hand.').waitFor();
  expect(await quantityOf(pets.Caracal!)).toBe(18);
});

test('Undo takes back no change of someone else that left the same count', async () => {
  const { pets } = await stocked(app, { Serval: 2 });
  const id = pets.Serval!;
  const { page } = await signIn(app, { path: `/inventory?pet=${id}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  await page.getByRole('button', { name: 'Adjust by +1' }).click();
  await page.getByText('Serval: 3 on hand.').waitFor();
  for (const delta of [-3, 3]) {
    const body = { delta, reason: 'Delivery' };
    await app.call('POST', `/v1/inventory/${id}/adjustments`, { body });
  }
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText('Stock changed again since. Undo it in the ledger.').waitFor();
  expect(await quantityOf(id)).toBe(3);
});

test('4.4 in the past nothing can be changed, and a day to come is refused in the field', async () => {
  const { pets } = await stocked(app, { Dibbler: 3 });
  const { page } = await signIn(app, {
    path: `/inventory?asOf=2026-01-01T10:00:00Z&pet=${pets.Dibbler}`,
  });
  await page.getByText('You are looking at stock as of 1 Jan 2026, 11:00.').waitFor();
  const adjust = page.getByRole('button', { name: 'Adjust stock' });
  await expect.poll(() => adjust.getAttribute('aria-disabled')).toBe('true');
  await adjust.click({ force: true });
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  const detail = page.getByRole('complementary', { name: 'Dibbler' });
  await detail.getByText('Past stock cannot be changed.').waitFor();
  for (const name of ['Adjust', 'Set count', 'Hold']) {
    expect(await detail.getByRole('button', { name, exact: true }).count(), name).toBe(0);
  }
  const field = page.getByLabel('As of');
  await expect.poll(() => field.getAttribute('max')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
  await field.fill('2099-01-01T10:00');
  await page.getByText('Choose a time in the past.').waitFor();
  expect(page.url()).not.toContain('2099');
});
