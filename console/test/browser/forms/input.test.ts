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
