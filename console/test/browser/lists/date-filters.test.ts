import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
await stocked(app, { Beagle: 3 });

test.each([
  {
    path: '/orders',
    label: 'Ships from',
    name: 'shipDateFrom',
    list: '/v1/store/orders?',
    time: '',
  },
  { path: '/ledger', label: 'From', name: 'from', list: '/v1/movements?', time: '' },
  { path: '/inventory', label: 'As of', name: 'asOf', list: '/v1/inventory?', time: 'T10:00' },
])(
  'on $path a date filters once its year is complete',
  async ({ path, label, name, list, time }) => {
    const { page, requests } = await signIn(app, { path, time: Date.now() });
    const field = page.getByLabel(label, { exact: true });
    const reads = () => requests.filter((each) => each.startsWith(`GET ${list}`));
    await expect.poll(reads).toHaveLength(1);
    // What the field holds after each digit of the year.
    for (const year of ['0002', '0020', '0202', '2026']) {
      await field.fill(`${year}-01-01${time}`);
      await page.clock.fastForward(2_000);
    }
    await expect.poll(() => new URL(page.url()).searchParams.get(name)).toBe(`2026-01-01${time}`);
    await expect.poll(reads).toHaveLength(2);
    await field.fill('');
    await page.clock.fastForward(2_000);
    await expect.poll(() => new URL(page.url()).searchParams.has(name)).toBe(false);
  },
);
