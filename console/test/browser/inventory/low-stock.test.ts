import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

test('4.9 stock is low at the threshold of the workspace, on every screen', async () => {
  await app.call('PATCH', '/v1/workspace', { body: { lowStockAt: 5 } });
  const { pets } = await stocked(app, { Beagle: 5, Collie: 6 });
  const { page, open } = await signIn(app);
  await page.getByText('pets at their threshold or below').waitFor();
  await page.getByText('Beagle', { exact: false }).first().waitFor();
  const tile = page.getByRole('link', { name: /Low stock/ });
  await expect.poll(() => tile.locator('.number').textContent()).toBe('1');
  await tile.click();
  await page.getByRole('link', { name: 'Beagle' }).waitFor();
  expect(await page.getByRole('link', { name: 'Collie' }).count()).toBe(0);
  await open('/inventory');
  const figure = (name: string) => page.getByRole('row', { name }).locator('strong.text-warn');
  await page.getByRole('link', { name: 'Collie' }).waitFor();
  await expect.poll(() => figure('Beagle').count()).toBe(1);
  expect(await figure('Collie').count()).toBe(0);
  await open(`/inventory?pet=${pets.Beagle}`);
  await page.locator('.figures .text-warn').waitFor();
});
