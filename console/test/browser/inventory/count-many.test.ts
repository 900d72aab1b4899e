// A whole shop is counted on a phone.

import { expect, test } from 'vitest';
import { reachService } from '../../support/chromium.ts';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

const PETS = 1_000;

test('1,000 counts on a phone, two lost connections and a sale: exactly the differences are in the ledger', async () => {
  const { categoryId } = await stocked(app, {});
  const pets = Array.from({ length: PETS }, (_, place) => ({ name: `Fish ${place}`, categoryId }));
  const made = await app.call('POST', '/v1/pets/batch', { body: { pets } });
  const ids = made.body.results.map(
    ({ pet, id }: { pet?: { id: number }; id?: number }) => pet?.id ?? id,
  );
  expect(ids).toHaveLength(PETS);
  const { page, context, requests } = await signIn(app, {
    path: '/inventory/count',
    width: 390,
    context: { hasTouch: true, isMobile: true },
    statuses: [0],
  });
  await page.getByRole('button', { name: 'Start counting' }).tap();
  await page.getByRole('list', { name: 'Counts' }).waitFor();
  /** Types into the fields from one place to another: every third pet has 3 units, the others 1, as expected. */
  const type = (from: number, to: number) =>
    page.evaluate(
      ([first, last]) => {
        const fields = document.querySelectorAll<HTMLInputElement>('.count-list input');
        for (let place = first!; place < last!; place++) {
          const field = fields[place]!;
          field.focus();
          field.value = place % 3 === 0 ? '3' : '1';
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }
      },
      [from, to],
    );
  await type(0, 400);
  // The first loss: while it is counted. The page goes on, and so does one that is loaded anew.
  await context.setOffline(true);
  await type(400, 700);
  await context.setOffline(false);
  await page.reload();
  await page.getByText(`700 of 1,000 counted`).waitFor();
  await type(700, PETS);
  await page.getByText('1,000 of 1,000 counted · 334 differ').waitFor();
  // A sale of a pet that was counted.
  const sold = ids[300];
  await app.call('POST', '/v1/store/orders', {
    body: { petId: sold, quantity: 1, complete: true },
  });
  // The second loss: the service has saved the counts, and its answer is lost.
  let isLost = false;
  await page.route('**/v1/inventory/batch', async (route) => {
    if (isLost) return route.continue();
    isLost = true;
    await reachService(route);
    await route.abort('connectionreset');
  });
  requests.length = 0;
  await page.getByRole('button', { name: 'Review and send' }).tap();
  // What is likely a slip is in the first rows.
  await page.getByRole('dialog').getByRole('heading', { name: 'Differences' }).waitFor();
  expect(await page.locator('dialog[open]').evaluate(topOf)).toBe(0);
  await page.getByRole('button', { name: 'Send 334 changes' }).tap();
  await expect.poll(() => isLost).toBe(true);
  const again = page.getByRole('button', { name: /^Send \d+ changes?$/ });
  const saved = page.getByText('333 counts saved, 1 to check.');
  await saved.or(page.getByRole('dialog').getByRole('alert')).first().waitFor();
  if (!(await saved.isVisible())) await again.tap();
  await saved.waitFor();
  const conflict = page.locator('.count-list > .conflict');
  await expect.poll(() => conflict.count()).toBe(1);
  await expect.poll(() => conflict.textContent()).toContain('Fish 300');
  await expect
    .poll(() => conflict.textContent())
    .toContain('Stock changed while you counted: now 0 on hand.');
  const counted = new Set<number>();
  let path: string | undefined = '/v1/movements?cause=set&limit=100';
  while (path !== undefined) {
    const { body: rows, next }: Rows = await rowsOf(path);
    for (const row of rows) {
      expect(row).toMatchObject({ reason: 'Stocktake', quantityBefore: 1, quantityAfter: 3 });
      expect(counted.has(row.petId)).toBe(false);
      counted.add(row.petId);
    }
    path = next;
  }
  const wanted = ids.filter((id: number, place: number) => place % 3 === 0 && id !== sold);
  expect([...counted].sort((a, b) => a - b)).toEqual(wanted);
  const { body } = await app.call('GET', `/v1/inventory/${sold}`);
  expect(body.quantity).toBe(0);
});

/** How far a dialog, or what scrolls in it, is scrolled. */
const topOf = (dialog: Element) =>
  Math.max(...[dialog, ...dialog.querySelectorAll('*')].map(({ scrollTop }) => scrollTop));

interface Rows {
  body: { petId: number }[];
  next: string | undefined;
}

/** A page of the ledger, and the next one. */
async function rowsOf(path: string): Promise<Rows> {
  const { body, headers } = await app.call('GET', path);
  return { body, next: /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] };
}
