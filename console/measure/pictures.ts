// npm run pictures: a screenshot of every screen with the demo store, in both themes and both widths, for people to look
// at. They are written to console/pictures. `npm run pictures -- orders plan` takes these alone.

import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { browser } from '../test/support/chromium.ts';
import { goTo } from '../test/support/go-to.ts';
import { startDemo } from './demo-service.ts';

const folder = fileURLToPath(new URL('../pictures/', import.meta.url));
const screens = {
  inventory: '/inventory',
  low: '/inventory?low=1',
  pet: '/inventory?pet=5',
  adjust: '/inventory?pet=6&adjust=1',
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
  requests: '/requests',
  request: '/requests/refused-order',
  events: '/events',
  event: '/events/400',
  webhooks: '/webhooks',
  webhook: '',
  audit: '/audit',
  settings: '/settings',
  service: '/service',
  'all-keys': '/all-keys',
  workspaces: '/workspaces',
  suspended: '/workspaces/2',
  workspace: '/workspaces/1',
  bans: '/bans',
  // Last, so that the meter knows what the others cost.
  overview: '',
};

mkdirSync(folder, { recursive: true });
const receiver = createServer((_, response) => response.end());
await once(receiver.listen(0, '127.0.0.1'), 'listening');
const demo = await startDemo();
screens.webhook = `/webhooks/${await fillLogs()}`;
const named = process.argv.slice(2);
const wanted = Object.entries(screens).filter(
  ([name]) => named.length === 0 || named.includes(name),
);
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
      for (const [name, path] of wanted) {
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
  receiver.close();
}
console.log(`pictures: ${wanted.length * 4 + 4} in ${folder}`);

/** Some requests and changes, so that the logs have rows. The result is a webhook that answers. */
async function fillLogs(): Promise<string> {
  // Clients may choose the id of a request.
  const send = (method: string, path: string, body?: unknown, id: string = crypto.randomUUID()) =>
    fetch(`${demo.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${demo.key}`,
        'content-type': 'application/json',
        'x-request-id': id,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
  await send('POST', '/store/orders', { petId: 5, quantity: 1000 }, 'refused-order');
  await send('GET', '/pets/999999');
  await send('POST', '/keys', { name: 'web shop', scopes: ['read', 'write'] });
  const { port } = receiver.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hooks`;
  const webhook = await send('POST', '/webhooks', { url, types: ['order.*'] });
  await send('POST', '/store/orders', { petId: 5, quantity: 1 });
  await send('POST', '/store/orders', { petId: 6, customer: 'Ada Lovelace' });
  await send('PATCH', '/workspace', { name: 'Happy Paws', lowStockAt: 4 });
  await send('PATCH', '/pets/5', { name: '' });
  await send('POST', '/admin/workspaces', { name: 'Next door' });
  await send('POST', '/admin/workspaces/1/grants', { perDay: 500, reason: 'A sale' });
  await send('POST', '/admin/workspaces/2/suspend', { reason: 'Invoice 42 is unpaid' });
  return ((await webhook.json()) as { id: string }).id;
}
