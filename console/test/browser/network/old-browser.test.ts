// A browser without the Navigation API: Firefox before 147, Safari before 26.2.

import { expect, test } from 'vitest';
import { consoleApp, newTab, stocked } from '../../support/console.ts';

const app = await consoleApp();
await stocked(app, { Beagle: 5 });

async function oldTab() {
  const tab = await newTab(app);
  await tab.context.addInitScript(() => {
    Object.defineProperty(window, 'navigation', { value: undefined });
  });
  await tab.open('');
  await tab.page.getByLabel('API key').fill(app.key);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return tab;
}

test('4.12 links, back and forward lead from screen to screen without loading the page', async () => {
  const { page } = await oldTab();
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  await page.evaluate(() => document.body.setAttribute('data-same', ''));
  await page.getByRole('link', { name: 'Inventory' }).first().click();
  await heading('Inventory').waitFor();
  await page.getByRole('link', { name: 'Beagle' }).click();
  await expect.poll(() => page.url()).toContain('pet=');
  await page.goBack();
  await expect.poll(() => page.url()).not.toContain('pet=');
  await page.goBack();
  await heading('Overview').waitFor();
  await page.goForward();
  await heading('Inventory').waitFor();
  await expect.poll(() => page.locator('body[data-same]').count()).toBe(1);
});

test('unsaved input asks before a link and before a step back, once', async () => {
  const { page } = await oldTab();
  await page.getByRole('link', { name: 'Create order' }).first().click();
  await page.getByRole('textbox', { name: 'Units' }).fill('3');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.getByRole('link', { name: 'Catalogue', exact: true }).first().click();
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Units' }).inputValue()).toBe('3');
  await page.goBack();
  await question.getByRole('button', { name: 'Stay' }).click();
  expect(new URL(page.url()).pathname).toBe('/console/orders/new');
  await page.goBack();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});
