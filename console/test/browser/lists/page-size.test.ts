import { expect, test } from 'vitest';
import { consoleApp, signIn } from '../../support/console.ts';

const app = await consoleApp();

test('5.2 the size of a page is remembered, for all lists', async () => {
  for (let index = 1; index <= 21; index++) {
    await app.call('POST', '/v1/categories', { body: { name: `Kind ${index}` } });
  }
  const { page, open, requests } = await signIn(app, { path: '/requests' });
  const rows = page.locator('main tbody tr');
  await expect.poll(() => rows.count()).toBe(20);
  await page.getByLabel('Rows per page').selectOption('50');
  await expect.poll(() => rows.count()).toBeGreaterThan(20);
  requests.length = 0;
  await open('/audit');
  await rows.first().waitFor();
  expect(requests.filter((each) => each.startsWith('GET /v1/audit'))).toEqual([
    'GET /v1/audit?limit=50',
  ]);
});
