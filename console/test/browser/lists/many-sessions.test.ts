// A store that people have signed in to a thousand times. Sessions are keys, and stay listed for 90 days.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const DAY_MS = 86_400_000;
const { body: alice } = await app.call('POST', '/v1/keys', {
  body: { name: 'Alice', scopes: ['read', 'write'] },
});
for (let index = 1; index <= 20; index++) {
  await app.call('POST', '/v1/keys', { body: { name: `Till ${index}`, scopes: ['read'] } });
}
await app.transact(async (tx) => {
  const past = app.clock.now() - DAY_MS;
  for (let index = 0; index < 1_100; index++) {
    const id = `0000000${10_000 + index}`;
    await tx.keys.create(
      {
        id,
        workspaceId: 1,
        name: 'Alice, console',
        hint: `psk_${id.slice(0, 8)}`,
        scopes: ['read'],
        createdAt: past - DAY_MS,
        expiresAt: past,
        parentId: alice.id,
      },
      `digest ${id}`,
    );
  }
});

test('all keys are listed, and sessions that have ended cost no request', async () => {
  const { page, requests } = await signIn(app, { path: '/keys?show=all' });
  const list = page.getByRole('table', { name: 'API keys' });
  await list.waitFor();
  // The first key and the heading.
  await expect.poll(() => list.getByRole('row').count()).toBe(23);
  expect(requests.filter((each) => each.startsWith('GET /v1/keys'))).toHaveLength(1);
});

test('the ledger says who made a change in the console, also after the session has ended', async () => {
  const { pets } = await stocked(app, { Newt: 3 });
  // The page may read once more after its session has ended.
  const own = await signIn(app, { key: alice.key, path: '/ledger', statuses: [401] });
  await own.page.evaluate(async (petId) => {
    const body = JSON.stringify({ delta: 4, reason: 'by Alice' });
    const headers = { 'content-type': 'application/json' };
    await fetch(`/v1/inventory/${petId}/adjustments`, { method: 'POST', headers, body });
    await fetch('/v1/session', { method: 'DELETE' });
  }, pets.Newt);
  await own.context.close();
  const { page } = await signIn(app, { path: '/ledger' });
  await page.getByRole('row', { name: /by Alice.*Alice, console/ }).waitFor();
  const options = await page.getByLabel('Key', { exact: true }).locator('option').allTextContents();
  expect(new Set(options).size).toBe(options.length);
  expect(options).toContain('Alice');
});
