import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, type Tab } from '../support/console.ts';

const app = await consoleApp();
const run = promisify(execFile);

/** Runs the commands that the screen shows, as if they were pasted into a shell. Each prints a record. */
async function paste(page: Page, key: string): Promise<Record<string, unknown>> {
  const text = await page.locator('main .empty pre').first().textContent();
  // Without the meter of progress, and failing on a status that is an error.
  const script = text!.replaceAll('curl ', 'curl --silent --show-error --fail-with-body ');
  const { stdout } = await run('sh', ['-ec', script], {
    env: { ...process.env, PETSTORE_API_KEY: key, WEBHOOK_URL: 'http://127.0.0.1:9/hooks' },
  });
  return JSON.parse(stdout);
}

interface EmptyScreen {
  path: string;
  says: string;
  /** What the command makes. */
  makes: Record<string, unknown>;
}

const screens: readonly EmptyScreen[] = [
  { path: '', says: 'No stock changes yet', makes: { name: 'Rex' } },
  { path: '/inventory', says: 'No pets yet', makes: { name: 'Rex' } },
  { path: '/orders', says: 'No open orders', makes: { quantity: 1, complete: false } },
  { path: '/catalogue', says: 'No pets yet', makes: { name: 'Rex' } },
  { path: '/catalogue/categories', says: 'No categories yet', makes: { name: 'Dogs' } },
  { path: '/ledger', says: 'No stock changes yet', makes: { name: 'Rex' } },
  { path: '/webhooks', says: 'No webhooks yet', makes: { types: ['order.*'] } },
];

/** A store of its own, so that each command meets an empty one. Numbers of records go on from store to store. */
async function emptyStore(path: string): Promise<{ tab: Tab; key: string }> {
  const key = await app.addWorkspace();
  return { key, tab: await signIn(app, { key, path }) };
}

test.for(screens)(
  '$path of an empty store says what to do first, and its command works',
  async (screen) => {
    const { tab, key } = await emptyStore(screen.path);
    await tab.page.getByText(screen.says).waitFor();
    await tab.page.locator('main .empty pre').first().waitFor();
    const made = await paste(tab.page, key);
    expect(made).toMatchObject(screen.makes);
  },
);

test('the feed of an empty store begins with its first key', async () => {
  const { tab } = await emptyStore('/events');
  await tab.page.getByRole('cell', { name: 'Key created' }).first().waitFor();
});

test('a store with a pet and no order shows a command that orders it', async () => {
  const { tab, key } = await emptyStore('/inventory');
  await tab.page.getByText('No pets yet').waitFor();
  const pet = await paste(tab.page, key);
  await tab.open('/orders');
  await tab.page.getByText('No open orders').waitFor();
  await tab.page.locator('main .empty pre').waitFor();
  expect(await paste(tab.page, key)).toMatchObject({ petId: pet.id, quantity: 1 });
});
