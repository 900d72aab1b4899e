// A webhook says how it is doing, and its page follows by itself.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { consoleApp, signIn } from '../../support/console.ts';

const app = await consoleApp();
let status = 204;
const receiver = createServer(async (request, response) => {
  for await (const _ of request);
  response.writeHead(status).end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
afterAll(() => receiver.close());
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;

test('4.7 a webhook waits, delivers, retries, pauses and goes on, and its page shows each without a reload', async () => {
  status = 500;
  const { body: webhook } = await app.call('POST', '/v1/webhooks', {
    body: { url, types: ['category.*'] },
  });
  const { page } = await signIn(app, { path: `/webhooks/${webhook.id}` });
  await page.getByText('Waiting for verification').waitFor();
  status = 204;
  await app.call('POST', `/v1/webhooks/${webhook.id}/ping`);
  await page.getByText('Delivering', { exact: true }).waitFor();
  status = 500;
  await app.call('POST', '/v1/categories', { body: { name: 'Owls' } });
  await page.getByText('Retrying', { exact: true }).waitFor();
  expect(await page.getByText('Events are sent as they happen.').count()).toBe(0);
  const fact = (name: string) => page.locator('.fact-grid div', { hasText: name }).locator('dd');
  await expect.poll(() => fact('Last answer').textContent()).toBe('answered 500');
  await expect.poll(() => fact('Failing since').textContent()).toMatch(/\(.+\)$/);
  expect(await fact('Next try').textContent()).not.toBe('');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  status = 204;
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Delivering', { exact: true }).waitFor();
  // The receiver answers that it is gone for good.
  status = 410;
  await app.call('POST', '/v1/categories', { body: { name: 'Newts' } });
  await page.getByText('Disabled', { exact: true }).waitFor();
  expect(await page.getByText('Paused', { exact: true }).count()).toBe(0);
});
