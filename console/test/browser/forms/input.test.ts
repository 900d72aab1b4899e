import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { Beagle: 12_000 });
const petId = pets.Beagle!;

test('a number that the console shows can be given back to it', async () => {
  const { page } = await signIn(app, { path: `/inventory?pet=${petId}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  await page.getByLabel('Change').fill('−5');
  await page.getByRole('button', { name: 'Adjust by −5' }).click();
  await page.getByText('Beagle: 11,995 on hand.').waitFor();
});

test('no field takes a text that is too long for the service', async () => {
  const { page, open } = await signIn(app, { path: `/inventory?pet=${petId}` });
  const lengthOf = async (label: string) => {
    const field = page.getByLabel(label, { exact: true });
    await field.focus();
    await page.keyboard.insertText('x'.repeat(250));
    return (await field.inputValue()).length;
  };
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  expect(await lengthOf('Reference (optional)')).toBe(200);
  await open('/catalogue');
  expect(await lengthOf('Name')).toBe(200);
});

test('the ledger groups the digits of every count', async () => {
  const order = { petId, quantity: 1 };
  await app.call('POST', '/v1/store/orders', { body: order });
  const { page } = await signIn(app, { path: `/ledger?petId=${petId}&cause=reserved` });
  const counts = page.getByRole('row', { name: /Reserved Order/ }).locator('td.end');
  await expect.poll(() => counts.first().textContent()).toMatch(/^1[12],\d{3}$/);
});

test('a date of which a part is missing, and a year of two digits, are not sent', async () => {
  const { page, requests } = await signIn(app, { path: `/orders/new?petId=${petId}` });
  await page.getByLabel('Effect on stock').waitFor();
  const ships = page.getByLabel('Ship date');
  const error = page.getByRole('alert').getByText('Fill in every part.');
  await ships.focus();
  // Without a time, the browser has no value for it.
  await page.keyboard.type('01012030');
  expect(await ships.inputValue()).toBe('');
  await page.keyboard.press('Enter');
  await error.waitFor();
  await ships.fill('0026-11-20T10:00');
  await error.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create order' }).click();
  await error.waitFor();
  await expect.poll(() => ships.evaluate((each) => each.matches(':focus'))).toBe(true);
  expect(requests.filter((each) => each.startsWith('POST'))).toEqual([]);
  await ships.fill('2030-11-20T10:00');
  await page.getByRole('button', { name: 'Create order' }).click();
  await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor();
  await page.getByText('20 Nov 2030, 10:00').waitFor();
});

test('a filter says that its date is not complete', async () => {
  const { page } = await signIn(app, { path: '/ledger' });
  const from = page.getByLabel('From');
  await from.focus();
  await page.keyboard.type('0101');
  await page.getByLabel('To', { exact: true }).focus();
  await page.getByRole('alert').getByText('Fill in every part.').waitFor();
  await from.fill('2026-01-01');
  await page.getByText('Fill in every part.').waitFor({ state: 'detached' });
});
