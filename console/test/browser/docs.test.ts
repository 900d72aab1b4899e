// The reference beside the console, in a real browser. An error in the browser's console fails the test.

import { expect, test } from 'vitest';
import { consoleApp, newTab, originOf } from '../support/console.ts';

const app = await consoleApp();

test('the reference has the font and the mark of the other pages, and refuses itself nothing', async () => {
  const { page } = await newTab(app);
  const loaded: string[] = [];
  page.on('response', (response) => {
    if (response.ok()) loaded.push(new URL(response.url()).pathname);
  });
  // The script of the page is large.
  await page.goto(`${originOf(app)}/docs`, { waitUntil: 'commit' });
  const title = page.getByRole('heading', { level: 1 });
  await expect.poll(() => title.allTextContents()).toEqual(['Pet Store']);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const [image, textFrom] = await title.evaluate((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      const { left } = element.getBoundingClientRect();
      const { backgroundImage } = getComputedStyle(element, '::before');
      return [backgroundImage, text.getBoundingClientRect().left - left];
    });
    const url = `${originOf(app)}/docs/icon.svg`;
    expect([width, image, textFrom]).toEqual([width, `url("${url}")`, 48 + 16]);
  }
  const files = ['/docs/icon.svg', '/docs/inter.woff2'];
  await expect.poll(() => loaded).toEqual(expect.arrayContaining(files));
  await expect.poll(() => page.getByRole('heading', { name: 'A first request' }).count()).toBe(1);
});
