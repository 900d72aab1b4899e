import { expect, test } from 'vitest';
import { signIn, stocked } from '../../support/console.ts';
import { stillApp } from '../../support/limited-store.ts';

const MINUTE_MS = 60_000;

const { app, clock } = await stillApp();

const quantityOf = async (petId: number) =>
  (await app.call('GET', `/v1/inventory/${petId}`)).body.quantity;

test('a change is undone by a new row, and a rehearsal says before what it does', async () => {
  const { pets } = await stocked(app, { Beagle: 3 });
  const id = pets.Beagle!;
  await app.call('POST', `/v1/inventory/${id}/adjustments`, {
    body: { delta: 6, reason: 'Delivery' },
  });
  const { page } = await signIn(app, { path: `/ledger?petId=${id}&cause=adjusted` });
  await page.getByRole('button', { name: 'Undo: Adjusted Delivery' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo a change to Beagle' });
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('This would work: 9 → 3 on hand. Nothing was changed yet.').waitFor();
  expect(await quantityOf(id)).toBe(9);
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: 3 units on hand.').waitFor();
  expect(await quantityOf(id)).toBe(3);
});

test('a change that cannot be undone any more says why, also in a rehearsal', async () => {
  const { pets } = await stocked(app, { Newt: 0 });
  const id = pets.Newt!;
  await app.call('POST', `/v1/inventory/${id}/adjustments`, {
    body: { delta: 2, reason: 'Delivery' },
  });
  await app.call('POST', '/v1/store/orders', { body: { petId: id, quantity: 2 } });
  const { page } = await signIn(app, {
    path: `/ledger?petId=${id}&cause=adjusted`,
    statuses: [409],
  });
  await page.getByRole('button', { name: /^Undo: Adjusted/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo a change to Newt' });
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText(/^This would not go through\./).waitFor();
  expect(await quantityOf(id)).toBe(2);
});

test('a rehearsal without an answer, and one that finds the session ended, judge nothing', async () => {
  const { pets } = await stocked(app, { Eider: 3 });
  const id = pets.Eider!;
  const body = { delta: 6, reason: 'Delivery' };
  await app.call('POST', `/v1/inventory/${id}/adjustments`, { body });
  const key = await app.addKey(['read', 'write']);
  const { page } = await signIn(app, {
    key,
    path: `/ledger?petId=${id}&cause=adjusted`,
    statuses: [0, 401],
  });
  await page.getByRole('button', { name: 'Undo: Adjusted Delivery' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo a change to Eider' });
  const preview = dialog.getByRole('button', { name: 'Preview' });
  const judged = dialog.getByText('This would not go through.');
  await page.route('**/reversal*', (route) => route.abort());
  await preview.click();
  await dialog.getByText('There is no connection to the service.').waitFor();
  expect(await judged.count()).toBe(0);
  await page.unroute('**/reversal*');
  await preview.and(page.locator(':not([aria-disabled])')).waitFor();
  // Nothing else finds out first.
  await page.route('**/v1/{usage,events}**', () => {});
  await app.call('DELETE', `/v1/keys/${key.slice(4, 16)}`);
  await preview.click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await page.getByLabel('API key').fill(app.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'hidden' });
  expect(await judged.count()).toBe(0);
  await preview.click();
  await dialog.getByText('This would work: 9 → 3 on hand.').waitFor();
});

test('the past is shown as it was, and offers no change', async () => {
  const { pets } = await stocked(app, { Gecko: 5 });
  const id = pets.Gecko!;
  const then = new Date(clock.now() + MINUTE_MS).toISOString().slice(0, 16);
  clock.advance(5 * MINUTE_MS);
  await app.call('PATCH', `/v1/inventory/${id}`, { body: { quantity: 8 } });
  const { page, open } = await signIn(app, { timeZone: 'UTC', time: clock.now() });
  await open('/inventory?name=Gecko');
  await page.getByRole('button', { name: 'Adjust Gecko' }).waitFor();
  await open(`/inventory?name=Gecko&asOf=${then}&pet=${id}`);
  const row = page.getByRole('row', { name: /Gecko/ });
  await row.waitFor();
  await expect.poll(() => row.locator('td.end').first().textContent()).toBe('5');
  expect(await row.getByRole('button').count()).toBe(0);
  // The detail beside it says that it is not of the past.
  const detail = page.getByRole('complementary', { name: 'Gecko' });
  await detail.getByText('This is the pet as it is today').waitFor();
  await expect.poll(() => detail.locator('.figures dd').first().textContent()).toBe('8');
});

test('a moment before the first pet is not taken for an empty store', async () => {
  await stocked(app, { Gecko: 1 });
  const { page } = await signIn(app, { path: '/inventory?asOf=2026-01-01T10:00' });
  await page.getByText('No pets found').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'Gecko' }).first().waitFor();
});

test('a cause in the address that the ledger does not have is ignored', async () => {
  const { pets } = await stocked(app, { Gecko: 4 });
  const path = `/ledger?petId=${pets.Gecko}&cause=stolen`;
  const { page, requests } = await signIn(app, { path });
  await page.getByRole('row', { name: /Counted/ }).waitFor();
  expect(requests.filter((each) => each.includes('cause='))).toEqual([]);
  await expect.poll(() => page.getByLabel('Cause').inputValue()).toBe('');
});

test.each(['/ledger?cause=stolen&petId=x&from=soon', '/catalogue?status=lost&categoryId=x'])(
  'an empty store says how to begin at %s, which asks for nothing that there is',
  async (path) => {
    const { page } = await signIn(app, { key: await app.addWorkspace(), path });
    await page.getByText(/^(No stock changes|No pets) yet$/).waitFor();
  },
);

test('a key in the address that is not offered is shown as chosen', async () => {
  const { pets } = await stocked(app, { Skink: 4 });
  const { page } = await signIn(app, { path: `/ledger?petId=${pets.Skink}&keyId=key_gone` });
  await page.getByText('No matches').waitFor();
  const key = page.getByLabel('Key', { exact: true });
  await expect.poll(() => key.inputValue()).toBe('key_gone');
  await key.selectOption('All keys');
  await page.getByRole('row', { name: /Counted/ }).waitFor();
});

test('a phone shows who made a change, and when', async () => {
  const { pets } = await stocked(app, { Anole: 4 });
  const path = `/ledger?petId=${pets.Anole}`;
  const { page } = await signIn(app, { path, width: 390, time: clock.now() });
  const row = page.getByRole('row', { name: /Counted/ });
  await row.getByText(/^\S.* · (now|\d+ sec ago)$/).waitFor();
});
