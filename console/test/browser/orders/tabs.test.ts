// The list of orders as a counter uses it: what is due, what is late, several at once.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const { pets } = await stocked(app, { 'Red panda': 50, 'Snow leopard': 50 });
const [panda, leopard] = [pets['Red panda']!, pets['Snow leopard']!];

async function place(petId: number, shipDate?: Date, quantity = 1): Promise<number> {
  const body = { petId, quantity, ...(shipDate && { shipDate: shipDate.toISOString() }) };
  return (await app.call('POST', '/v1/store/orders', { body })).body.id;
}

const stateOf = async (id: number) => (await app.call('GET', `/v1/store/orders/${id}`)).body.state;

const NOON = new Date('2026-11-18T11:00:00Z');
const DAY_MS = 86_400_000;
const later = await place(panda, new Date(NOON.getTime() + 3 * DAY_MS), 2);
const due = await place(panda, new Date(NOON.getTime() + 3_600_000), 3);
const late = await place(leopard, new Date(NOON.getTime() - 2 * DAY_MS));
const cancelled = await place(leopard);
await app.call('DELETE', `/v1/store/orders/${cancelled}?reason=changed%20mind`);
const complete = await place(leopard);
await app.call('PATCH', `/v1/store/orders/${complete}`, { body: { complete: true } });

test('each tab shows its orders, by keyboard, and stands in the address', async () => {
  const { page } = await signIn(app, { path: '/orders', time: NOON.getTime() });
  const shown = async () =>
    (await page.locator('[data-row]').allTextContents()).map((text) => Number(text.match(/\d+/)));
  await expect.poll(shown).toEqual([later, due, late]);
  const tabs: [string, number[]][] = [
    ['Due today', [due]],
    ['Late', [late]],
    ['Fulfilled', [complete]],
    ['Cancelled', [cancelled]],
    ['All', [complete, cancelled, late, due, later]],
  ];
  await page.getByRole('radio', { name: 'Open' }).focus();
  for (const [, ids] of tabs) {
    await page.keyboard.press('ArrowRight');
    await expect.poll(shown).toEqual(ids);
  }
  await page.reload();
  await expect.poll(shown).toEqual([complete, cancelled, late, due, later]);
});

test('by touch: several orders are printed and fulfilled at once', async () => {
  const { page } = await signIn(app, {
    path: '/orders',
    width: 390,
    time: NOON.getTime(),
    context: { hasTouch: true, isMobile: true },
  });
  await page.evaluate(() => {
    // What is on paper, at the moment of printing.
    globalThis.print = () => {
      document.title = document.querySelector('.sheet')?.textContent ?? 'nothing';
      dispatchEvent(new Event('afterprint'));
    };
  });
  await page.getByLabel(`Select order ${later}`).tap();
  await page.getByLabel(`Select order ${due}`).tap();
  await page.getByText('2 orders selected').waitFor();
  await page.getByRole('button', { name: 'Print pick list' }).tap();
  await expect.poll(() => page.title()).toContain(`Red panda52 × Order ${later}; 3 × Order ${due}`);
  await page.getByRole('button', { name: 'Print packing slips' }).tap();
  await expect.poll(() => page.title()).toContain(`Packing slip: Order ${due}`);
  await page.getByRole('button', { name: 'Fulfil 2 orders' }).tap();
  const question = page.getByRole('dialog', { name: 'Fulfil 2 orders' });
  await question.getByText('A fulfilled order cannot be changed or cancelled.').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).tap();
  expect([await stateOf(later), await stateOf(due)]).toEqual(['open', 'open']);
  await page.getByRole('button', { name: 'Fulfil 2 orders' }).tap();
  await question.getByRole('button', { name: 'Fulfil', exact: true }).tap();
  await page.getByText('2 orders fulfilled.').waitFor();
  expect([await stateOf(later), await stateOf(due), await stateOf(late)]).toEqual([
    'complete',
    'complete',
    'open',
  ]);
  await page.getByText('2 orders selected').waitFor({ state: 'detached' });
});
