import { expect, test } from 'vitest';
import { reachService } from '../../support/chromium.ts';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

test('adjusting shows what will be, saves it, and agrees with the API', async () => {
  const { pets } = await stocked(app, { 'Beagle puppy': 3 });
  const id = pets['Beagle puppy']!;
  const { page } = await signIn(app, { path: `/inventory?pet=${id}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  await page.getByLabel('Change').fill('6');
  await page.getByText('3 → 9').first().waitFor();
  await page.getByRole('button', { name: 'Adjust by +6' }).click();
  await page.getByText('Beagle puppy: 9 on hand.').waitFor();
  const { body: item } = await app.call('GET', `/v1/inventory/${id}`);
  const { body: ledger } = await app.call('GET', `/v1/inventory/${id}/movements?sort=-id`);
  const { body: session } = await app.call('GET', '/v1/keys');
  expect(item).toMatchObject({ quantity: 9, available: 9 });
  const rows = ledger.filter(({ cause }: { cause: string }) => cause === 'adjusted');
  expect(rows).toHaveLength(1);
  const sessions = session.filter(({ parentId }: { parentId?: string }) => parentId !== undefined);
  expect(sessions.map(({ id: each }: { id: string }) => each)).toContain(rows[0].keyId);
  await expect.poll(() => page.locator('.figures dd').first().textContent()).toBe('9');
  await expect.poll(() => page.locator('tr.selected td.end').first().textContent()).toBe('9');
  const chart = page.getByRole('slider');
  await chart.focus();
  await expect.poll(() => chart.getAttribute('aria-valuetext')).toContain('9 on hand');
  // One step for each movement: created, counted, adjusted.
  await expect.poll(() => chart.getAttribute('aria-valuemax')).toBe(String(ledger.length - 1));
});

test('going below the reserved units is stopped in the form, and by the service when it is forced', async () => {
  const { pets } = await stocked(app, { Ferret: 3 });
  const id = pets.Ferret!;
  await app.call('POST', '/v1/store/orders', { body: { petId: id, quantity: 1 } });
  const { page } = await signIn(app, { path: `/inventory?pet=${id}`, statuses: [409, 0] });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  await page.getByLabel('Change').fill('-3');
  await page.getByText('1 unit is reserved for open orders').waitFor();
  await page.getByRole('button', { name: 'Adjust by' }).click();
  expect((await app.call('GET', `/v1/inventory/${id}`)).body.quantity).toBe(3);
  // The form does not know yet that another order came between.
  await page.getByLabel('Change').fill('-2');
  await page.route('**/v1/inventory/**', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  await app.call('POST', '/v1/store/orders', { body: { petId: id, quantity: 2 } });
  await page.getByRole('button', { name: 'Adjust by' }).click();
  await page.getByText('The count cannot go below that').waitFor();
  await page.unrouteAll();
  expect((await app.call('GET', `/v1/inventory/${id}`)).body.quantity).toBe(3);
});

test('a double click and a lost answer change the stock once', async () => {
  const { pets } = await stocked(app, { Parrot: 3 });
  const id = pets.Parrot!;
  const { page } = await signIn(app, { path: `/inventory?pet=${id}`, statuses: [0] });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  let lost = 0;
  await page.route('**/adjustments', async (route) => {
    if (lost++ === 0) {
      await reachService(route);
      await route.abort('connectionreset');
    } else await route.continue();
  });
  await page.getByRole('button', { name: 'Adjust by +1' }).dblclick();
  await page.getByText('Parrot: 4 on hand.').waitFor();
  const { body: ledger } = await app.call('GET', `/v1/inventory/${id}/movements`);
  expect(ledger.filter(({ cause }: { cause: string }) => cause === 'adjusted')).toHaveLength(1);
});

test('a count that someone else changed becomes a conflict with the row that came between', async () => {
  const { pets } = await stocked(app, { Gecko: 5 });
  const id = pets.Gecko!;
  const { page } = await signIn(app, { path: `/inventory?pet=${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Set count' }).click();
  await page.getByLabel('New count').fill('7');
  await app.call('POST', `/v1/inventory/${id}/adjustments`, {
    body: { delta: 4, reason: 'Delivery', reference: 'PO-9' },
  });
  await page.getByRole('button', { name: 'Set to 7' }).click();
  await page.getByText('Someone else changed this while you had it open.').waitFor();
  await page.getByText('Delivery · PO-9').first().waitFor();
  await page.getByText('5 → 9').first().waitFor();
  await expect.poll(() => page.getByLabel('New count').inputValue()).toBe('7');
  expect((await app.call('GET', `/v1/inventory/${id}`)).body.quantity).toBe(9);
  await page.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Gecko: 7 on hand.').waitFor();
  expect((await app.call('GET', `/v1/inventory/${id}`)).body.quantity).toBe(7);
});

test('letting go of a conflict changes nothing', async () => {
  const { pets } = await stocked(app, { Newt: 5 });
  const id = pets.Newt!;
  const { page } = await signIn(app, { path: `/inventory?pet=${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Set count' }).click();
  await page.getByLabel('New count').fill('2');
  await app.call('PATCH', `/v1/inventory/${id}`, { body: { quantity: 6 } });
  await page.getByRole('button', { name: 'Set to 2' }).click();
  await page.getByRole('button', { name: 'Discard my changes' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await app.call('GET', `/v1/inventory/${id}`)).body.quantity).toBe(6);
});

test('status, below, name, page and open record stand in the address', async () => {
  await stocked(app, { 'Zebra finch': 1, 'Zebra fish': 9, 'Zebra mouse': 0 });
  const { page, open } = await signIn(app, { path: '/inventory' });
  await page.getByLabel('Name', { exact: true }).fill('zebra');
  await expect.poll(() => page.url()).toContain('name=zebra');
  await page.getByRole('link', { name: 'Zebra fish' }).waitFor();
  await page.getByRole('radio', { name: 'Sold out' }).check();
  await page.getByRole('link', { name: 'Zebra fish' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Zebra mouse' }).click();
  await page.getByRole('complementary', { name: 'Zebra mouse' }).waitFor();
  const address = page.url();
  const { searchParams } = new URL(address);
  expect(Object.fromEntries(searchParams)).toMatchObject({ name: 'zebra', status: 'sold' });
  expect(Number(searchParams.get('pet'))).toBeGreaterThan(0);
  await page.reload();
  await page.getByRole('complementary', { name: 'Zebra mouse' }).waitFor();
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('zebra');
  await page.goBack();
  await page.getByRole('complementary', { name: 'Zebra mouse' }).waitFor({ state: 'detached' });
  await open(`/inventory${new URL(address).search}`);
  await page.getByRole('complementary', { name: 'Zebra mouse' }).waitFor();
});

test('a hostile name is text', async () => {
  const name = '<img src=x onerror="document.title=1">';
  const { pets } = await stocked(app, { [name]: 1 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets[name]}` });
  await page.getByRole('heading', { name }).waitFor();
  expect(await page.locator('main img').count()).toBe(0);
});

test('a conflict is not applied with a count that is no number', async () => {
  const { pets } = await stocked(app, { Skink: 1_500 });
  const id = pets.Skink!;
  const { page } = await signIn(app, { path: `/inventory?pet=${id}`, statuses: [412] });
  await page.getByRole('button', { name: 'Set count' }).click();
  await page.getByLabel('New count').fill('1600');
  await app.call('PATCH', `/v1/inventory/${id}`, { body: { quantity: 1_700 } });
  await page.getByRole('button', { name: 'Set to 1600' }).click();
  await page.getByRole('cell', { name: '1,600' }).waitFor();
  await page.getByLabel('New count').fill('1700');
  await page.getByText('Every field already matches your version.').waitFor();
  await page.getByLabel('New count').fill('');
  await page.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Enter a whole number, 0 or more.').waitFor();
  await page.getByLabel('New count').fill('1650');
  await page.getByRole('button', { name: 'Save my version' }).click();
  await page.getByText('Skink: 1,650 on hand.').waitFor();
  const { body: ledger } = await app.call('GET', `/v1/inventory/${id}/movements?sort=-id`);
  expect(ledger[0]).toMatchObject({ quantityBefore: 1_700, quantityAfter: 1_650 });
});

test('a conflict that cannot be read leaves the refusal and the input on the screen', async () => {
  const { pets } = await stocked(app, { Toad: 5 });
  const id = pets.Toad!;
  const { page } = await signIn(app, { path: `/inventory?pet=${id}`, statuses: [412, 400] });
  await page.getByRole('button', { name: 'Set count' }).click();
  await page.getByLabel('New count').fill('7');
  await app.call('PATCH', `/v1/inventory/${id}`, { body: { quantity: 6 } });
  const failed = page.waitForResponse((response) => response.status() === 400);
  await page.route('**/v1/inventory/**', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ status: 400, json: { code: 'invalid_request', message: 'It failed.' } })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Set to 7' }).click();
  await failed;
  await page
    .getByRole('dialog')
    .getByText('Someone else changed this while you had it open.')
    .waitFor();
  await expect.poll(() => page.getByLabel('New count').inputValue()).toBe('7');
  await page.unrouteAll({ behavior: 'wait' });
});

test('a press on the edge of a dialog does not close it, and one beside it asks to', async () => {
  const { pets } = await stocked(app, { Vole: 1 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets.Vole}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Adjust stock' });
  await dialog.getByLabel('Change').fill('6');
  const { x, y, height } = (await dialog.boundingBox())!;
  await page.mouse.click(x, y + height / 2);
  await expect.poll(() => dialog.getByLabel('Change').inputValue()).toBe('6');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
  await page.mouse.click(x - 20, y + height / 2);
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('a field for a number shows only what it takes', async () => {
  const { page } = await signIn(app, { path: '/inventory' });
  const field = page.getByLabel('Available below');
  await field.pressSequentially('1x2');
  await expect.poll(() => field.inputValue()).toBe('12');
  await expect.poll(() => page.url()).toContain('availableBelow=12');
});
