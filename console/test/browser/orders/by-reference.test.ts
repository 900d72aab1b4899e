// Whose order it is: found by customer and reference, shown as one, changed, completed, with its history.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { 'Red panda': 50, 'Snow leopard': 50, 'Fennec fox': 50 });
const petIds = Object.values(pets);

async function place(reference: string, customer: string): Promise<number[]> {
  const orders = petIds.map((petId, index) => ({
    petId,
    quantity: index + 1,
    reference,
    customer,
  }));
  const { body } = await app.call('POST', '/v1/store/orders/batch', { body: { orders } });
  return body.results.map(({ order }: { order: { id: number } }) => order.id);
}

const stateOf = async (id: number) => (await app.call('GET', `/v1/store/orders/${id}`)).body.state;

test('by keyboard: orders of one reference are found by customer, shown as one, and fulfilled together', async () => {
  const ids = await place('W-1042', 'Grace Hopper');
  await place('W-2000', 'Ada Lovelace');
  const { page } = await signIn(app, { path: '/orders' });
  await page.getByText('3 orders of W-2000').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('hopp');
  await page.getByText('3 orders of W-2000').waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('q')).toBe('hopp');
  const row = page.getByRole('row', { name: /3 orders of W-1042/ });
  await row.getByText('1 × Red panda, 2 × Snow leopard, 3 × Fennec fox', { exact: true }).waitFor();
  await page.getByRole('link', { name: '3 orders of W-1042' }).focus();
  await page.keyboard.press('Enter');
  const card = page.locator('section.card', { hasText: '3 orders of W-1042' });
  await card.getByText('3 units of Fennec fox').waitFor();
  await card.getByRole('button', { name: 'Fulfil 3 orders' }).focus();
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Fulfil 3 orders' });
  await question.getByRole('button', { name: 'Fulfil', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('3 orders fulfilled.').waitFor();
  expect(await Promise.all(ids.map(stateOf))).toEqual(['complete', 'complete', 'complete']);
  await page.goBack();
  await page.getByText('No orders found').waitFor();
});

test('by touch: the orders of a row are marked together and printed as one parcel', async () => {
  const ids = await place('W-1043', 'Zoë Müller');
  const { page } = await signIn(app, {
    path: '/orders?q=W-1043',
    width: 390,
    context: { hasTouch: true, isMobile: true },
  });
  await page.evaluate(() => {
    globalThis.print = () => {
      document.title = document.querySelector('.sheet')?.textContent ?? 'nothing';
      dispatchEvent(new Event('afterprint'));
    };
  });
  await page.getByLabel('Select 3 orders of W-1043').tap();
  await page.getByText('3 orders selected').waitFor();
  await page.getByRole('button', { name: 'Print packing slips' }).tap();
  await expect.poll(() => page.title()).toContain('Packing slip: 3 orders of W-1043');
  const slip = await page.title();
  expect(slip).toContain('CustomerZoë Müller');
  expect(slip).toContain(`Order ${ids[2]}Fennec fox3`);
  await page.getByRole('button', { name: 'Print pick list' }).tap();
  await expect.poll(() => page.title()).toContain('Red panda11 × W-1043, Zoë Müller');
});

test('orders of two customers with one reference are two rows, two slips, and not fulfilled together', async () => {
  const [first] = await place('PO-1', 'Ada Lovelace');
  const others = await place('PO-1', 'Grace Hopper');
  await app.call('PATCH', `/v1/store/orders/${others[2]}`, { body: { note: 'gift wrap' } });
  const { page } = await signIn(app, { path: '/orders?q=PO-1' });
  await page.evaluate(() => {
    globalThis.print = () => {
      document.title = [...document.querySelectorAll('.slip')]
        .map((each) => each.textContent)
        .join('|');
      dispatchEvent(new Event('afterprint'));
    };
  });
  await page.getByRole('row', { name: /3 orders of PO-1.*Ada Lovelace/ }).waitFor();
  await page.getByRole('row', { name: /3 orders of PO-1.*Grace Hopper/ }).waitFor();
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Print packing slips' }).click();
  await expect.poll(() => page.title()).toMatch(/Ada Lovelace.*\|.*Grace Hopper.*gift wrap/);
  expect((await page.title()).split('|')).toHaveLength(2);
  await page
    .getByRole('row', { name: /Ada Lovelace/ })
    .getByRole('link')
    .click();
  const card = page.locator('section.card', { hasText: '6 orders of PO-1' });
  await card.getByText('3 units of Fennec fox · Grace Hopper').waitFor();
  await card.getByRole('button', { name: 'Fulfil 3 orders' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fulfil', exact: true }).click();
  await page.getByText('3 orders fulfilled.').waitFor();
  expect(await Promise.all([first!, others[0]!].map(stateOf))).toEqual(['complete', 'open']);
});

test('customer, reference and note are changed, and the history says who did what', async () => {
  const [id] = await place('W-1044', 'Emil Sørensen');
  const { page } = await signIn(app, { path: `/orders/${id}` });
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Customer').fill('Emil S.');
  await page.getByLabel('Note').fill('rings twice');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`Order ${id} saved.`).waitFor();
  const { body } = await app.call('GET', `/v1/store/orders/${id}`);
  expect(body).toMatchObject({ customer: 'Emil S.', note: 'rings twice', reference: 'W-1044' });
  const history = page.locator('section.card', { hasText: 'History' });
  await history.getByText('Changed: customer, note').waitFor();
  await page.getByRole('button', { name: 'Cancel order' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
  await page.getByText(/cancelled\. 1 unit of Red panda available again/).waitFor();
  await history.getByText('Cancelled').waitFor();
  const steps = await history.getByRole('listitem').allTextContents();
  expect(steps.map((text) => text.replace(/, (now|\d+ \w+ ago)/, ''))).toEqual([
    expect.stringMatching(/^Cancelledthis console/),
    expect.stringMatching(/^Changed: customer, notethis console/),
    expect.stringMatching(/^Createdfirst key/),
  ]);
});
