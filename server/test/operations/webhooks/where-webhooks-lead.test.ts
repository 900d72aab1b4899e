import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';
import { disguisedHosts, localNames, refusedUrls } from '../../webhooks/disguised-addresses.ts';

let app: TestApp;
let canary: Server;
let connections = 0;
let port = 0;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_WEBHOOK_ALLOW: '' } });
  canary = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  canary.listen(0, '127.0.0.1');
  await once(canary, 'listening');
  port = (canary.address() as { port: number }).port;
});
afterAll(() => {
  canary.close();
});

async function expectRefused(url: string): Promise<void> {
  const answer = await app.call('POST', '/v1/webhooks', { body: { url } });
  expectError(answer, 'invalid_request');
  expect(answer.body.details[0].field, url).toBe('url');
}

describe('without exceptions', () => {
  it('no form of a forbidden address becomes a webhook, nor the service itself', async () => {
    for (const host of disguisedHosts) await expectRefused(`https://${host}:${port}/`);
    for (const name of localNames.slice(0, 6)) await expectRefused(`https://${name}:${port}/`);
    for (const url of refusedUrls.filter((text) => !/hooks\.example(:8443)?\/$/.test(text))) {
      await expectRefused(url);
    }
    const own = new URL(app.address);
    await expectRefused(`${app.address}/v1/pets`);
    await expectRefused(`https://127.0.0.1:${own.port}/metrics`);
    expect((await app.call('GET', '/v1/webhooks')).body).toEqual([]);
    expect(connections).toBe(0);
  });

  it('a webhook that is in the database all the same is sent nothing, by no way', async () => {
    const now = Date.now();
    const { id } = await app.transact((tx) =>
      tx.webhooks.create(
        {
          workspaceId: 1,
          url: `https://127.0.0.1:${port}/`,
          types: ['*'],
          batchMax: 1,
          perSecondMax: 20,
          isVerified: true,
          state: 'enabled',
          failures: 0,
          rejections: 0,
          cursor: 0,
          secretHint: 'whsec_abcd',
          createdAt: now,
        },
        'AAAAAAAA.sealed by no key',
      ),
    );
    const secret = await app.call('POST', `/v1/webhooks/${id}/rotate`, {
      body: { overlapSeconds: 0 },
    });
    expect(secret.status).toBe(201);
    const ping = await app.call('POST', `/v1/webhooks/${id}/ping`);
    expect(ping.body).toMatchObject({ outcome: 'address_refused' });
    const redelivery = { body: { eventId: '1' } };
    const redelivered = await app.call('POST', `/v1/webhooks/${id}/deliveries`, redelivery);
    expect(redelivered.body).toMatchObject({ outcome: 'address_refused' });
    const failing = async () => (await app.call('GET', `/v1/webhooks/${id}`)).body.failingSince;
    await expect.poll(failing, { timeout: 50_000 }).toBeTruthy();
    expect(connections).toBe(0);
  });
});
