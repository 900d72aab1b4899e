// npm run pictures: a screenshot of every screen with the demo store, in both themes and both widths, for people to look
// at. They are written to console/pictures.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { browser } from '../test/support/chromium.ts';
import { goTo } from '../test/support/go-to.ts';
import { startDemo } from './demo-service.ts';

const folder = fileURLToPath(new URL('../pictures/', import.meta.url));
const screens: Readonly<Record<string, string>> = {
  inventory: '/inventory',
  pet: '/inventory?pet=5',
  count: '/inventory/count',
  orders: '/orders',
  order: '/orders/143',
  'new-order': '/orders/new?petId=5',
  catalogue: '/catalogue',
  categories: '/catalogue/categories',
  ledger: '/ledger',
  keys: '/keys',
  usage: '/usage',
  plan: '/plan',
  events: '/events',
  webhooks: '/webhooks',
  workspaces: '/workspaces',
  workspace: '/workspaces/1',
  bans: '/bans',
  // Last, so that the meter knows what the others cost.
  overview: '',
};

mkdirSync(folder, { recursive: true });
const demo = await startDemo();
const chromium = await browser();
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      const context = await chromium.newContext({
        viewport: { width, height: width === 390 ? 844 : 1000 },
        colorScheme,
        locale: 'en-GB',
        reducedMotion: 'reduce',
        ...(width === 390 && { isMobile: true, hasTouch: true }),
      });
      const page = await context.newPage();
      await page.goto(`${demo.url}/console`);
      await page.getByLabel('API key').waitFor();
      await page.screenshot({ path: `${folder}sign-in-${width}-${colorScheme}.png` });
      await page.getByLabel('API key').fill(demo.key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      // No row is under the pointer.
      await page.mouse.move(0, 0);
      for (const [name, path] of Object.entries(screens)) {
        await goTo(page, path);
        // Usage is polled every 15 seconds. A phone has no room for the meter.
        if (name === 'overview' && width > 390)
          await page.getByText(/^Used by this console: [1-9]/).waitFor();
        // The drawing of a chart follows the width of its place.
        await page.waitForTimeout(300);
        await page.screenshot({ path: `${folder}${name}-${width}-${colorScheme}.png` });
      }
      await context.close();
    }
  }
} finally {
  await chromium.close();
  await demo.stop();
}
console.log(`pictures: ${Object.keys(screens).length * 4 + 4} in ${folder}`);
