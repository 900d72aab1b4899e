import type { Page } from 'playwright-core';

/** Goes to a path within the page, as a link does, and waits until nothing loads any more. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((href) => navigation.navigate(href).finished, `/console${path}`);
  await settle(page);
}

/** Waits until nothing loads any more. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main h1, main .empty, .dialog h2').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.skeleton') === null);
}
