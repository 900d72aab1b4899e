import { expect, test } from 'vitest';
import { signIn, stocked } from '../support/console.ts';
import { stillApp } from '../support/limited-store.ts';

const { app, clock } = await stillApp();
const DAY_MS = 86_400_000;

test('what has happened is never in the future, although the clock of the service is ahead', async () => {
  const { pets } = await stocked(app, { Beagle: 3 });
  const { body: order } = await app.call('POST', '/v1/store/orders', {
    body: { petId: pets.Beagle },
  });
  const expiresAt = new Date(clock.now() + 3 * DAY_MS).toISOString();
  const { body: made } = await app.call('POST', '/v1/keys', {
    body: { name: 'till', scopes: ['read'], expiresAt },
  });
  await app.call('GET', '/v1/pets', { key: made.key });
  // The use of a key is written a moment later.
  const keys = async () => (await app.call('GET', '/v1/keys')).body as Record<string, unknown>[];
  await expect
    .poll(keys)
    .toContainEqual(expect.objectContaining({ name: 'till', lastUsedAt: expect.anything() }));
  const { body: leaked } = await app.call('POST', '/v1/keys', {
    body: { name: 'leaked', scopes: ['read'], expiresAt },
  });
  await app.call('DELETE', `/v1/keys/${leaked.id}`);
  const { page, open } = await signIn(app, { time: clock.now() - 20_000 });
  const need = page.getByRole('listitem').filter({ hasText: 'Key “till” expires in 3 days' });
  await need.waitFor();
  await expect.poll(() => need.textContent()).toContain('Used now');
  await open(`/orders/${order.id}`);
  const placed = page.getByRole('definition').filter({ hasText: '(' }).first();
  await placed.waitFor();
  await expect.poll(() => placed.textContent()).toMatch(/\(now\)$/);
  await open('/keys?show=ended');
  const revoked = page.getByRole('row', { name: /leaked/ });
  await revoked.waitFor();
  expect(await revoked.locator('time').last().textContent()).toMatch(/^\d/);
  await open(`/orders/${order.id}`);
  clock.advance(60_000);
  await page.getByRole('button', { name: 'Fulfil' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fulfil' }).click();
  const ended = page.locator('.fact-grid div', { hasText: 'Ended' });
  await ended.waitFor();
  expect(await ended.textContent()).toMatch(/\(now\)$/);
});
