// The numbers of a screen are of the same moment, also while requests are refused.

import { expect, test } from 'vitest';
import { signIn, stocked } from '../../support/console.ts';
import { limitedStore, stillApp } from '../../support/limited-store.ts';

const { app, clock, pass } = await stillApp();

test('4.5 while the minute is refused, chart, tables, advice and bans go on and agree', async () => {
  const store = await limitedStore(app);
  await stocked(app, { Beagle: 3 }, store.key);
  const { page, requests } = await signIn(app, {
    key: store.key,
    time: clock.now(),
    path: '/usage',
    statuses: [429],
  });
  await page.getByText('Your plan fits').waitFor();
  await page.getByText('No key is banned.').waitFor();
  await store.useUp();
  for (let refused = 0; refused < 18; refused++) {
    await app.call('GET', '/v1/pets?limit=1', { key: store.key });
  }
  // The page learns of the refusal from a read of its own.
  const to = (name: string) => page.getByRole('link', { name, exact: true }).first().click();
  await to('Inventory');
  await page.getByText('Rate limit reached').first().waitFor();
  await to('Usage and limits');
  await page.getByRole('slider', { name: /^Requests per minute/ }).waitFor();
  const before = requests.length;
  await pass(page, 16_000);
  const chart = page.getByRole('slider', { name: /^Requests per minute/ });
  await expect
    .poll(() => chart.getAttribute('aria-label'))
    .toMatch(/60 admitted, (1[89]|2\d) refused/);
  await page
    .getByRole('row', { name: /listPets/ })
    .getByText(/^(1[89]|2\d)$/)
    .first()
    .waitFor();
  expect(await page.getByText('Your plan fits').count()).toBe(0);
  const paths = requests.slice(before).map((each) => each.replace(/\?.*/, ''));
  for (const path of ['/v1/usage', '/v1/usage/minutes', '/v1/usage/advice']) {
    expect(paths, path).toContain(`GET ${path}`);
  }
  for (let refused = 0; refused < 30; refused++) {
    await app.call('GET', '/v1/pets?limit=1', { key: store.key });
  }
  await pass(page, 16_000);
  await page.getByText(/is banned$/).waitFor();
  expect(await page.getByText('No key is banned.').count()).toBe(0);
});
